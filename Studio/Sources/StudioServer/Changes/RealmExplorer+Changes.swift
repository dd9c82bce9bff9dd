import Travertine

extension RealmExplorer {
    /// Makes changes in one transaction: all of them, or none.
    ///
    /// - Returns: the addresses of added objects, and the commit that can be undone next.
    /// - Throws: `RequestFailure` for a value that does not fit, and for one that has changed since
    ///   it was shown.
    func commit(_ request: ChangesRequest) throws -> JSON {
        try checkCount(request)
        let made = try change { try make(request) }
        if made.keeper.isComplete {
            undoHistory.add(changeCount: request.changes.count, made.steps, made.keeper)
        } else {
            undoHistory.forget()
        }
        references.pin(undoHistory.numbers)
        return .object([("added", .array(made.added)), ("undo", undoHistory.json)])
    }

    /// Runs changes in a transaction; mistakes of the user are refusals. If it fails, addresses
    /// lead to where they led before.
    func change<Made>(_ body: () throws -> Made) throws -> Made {
        guard isWritable else {
            throw RequestFailure(
                403, "The realm was opened read-only. Start the studio with --write to change it.")
        }
        let entries = references.entries
        references.isHolding = true
        defer { references.isHolding = false }
        do {
            return try realm.write(body)
        } catch {
            references.entries = entries
            throw RequestFailure(ofCommit: error) ?? error
        }
    }

    /// Makes changes; gives the addresses of added objects, and what undoes them all, if the keeper
    /// had room for it.
    private func make(
        _ request: ChangesRequest
    ) throws -> (added: [JSON], steps: [UndoStep], keeper: ValueKeeper) {
        var added: [JSON] = []
        var keeper = ValueKeeper(references: references)
        var steps: [UndoStep] = []
        for change in request.inOrder {
            switch change.kind {
            case .set, .insert, .remove:
                if let step = try edit(change, &keeper) { steps.append(step) }
            case .delete: steps += try delete(change, &keeper)
            case .add:
                let address = references.address(of: try add(change))
                added.append(.string(address))
                steps.append(.delete(ObjectAddress(type: change.type, id: address)))
            }
        }
        return (added, steps, keeper)
    }

    var values: ValueParser {
        ValueParser(references: references) { type, address throws(RequestFailure) in
            try self.object(type, address)
        }
    }

    /// The type that a property links to or embeds.
    func target(of property: Property) -> ObjectSchema? {
        guard property.type == .object else { return nil }
        return types.first { $0.objectTypeName == property.objectClassName }
    }

    // MARK: Values

    /// Changes a property or an element; gives what sets the property back, unless an earlier
    /// change of this request does.
    private func edit(_ change: Change, _ keeper: inout ValueKeeper) throws -> UndoStep? {
        var place = try ValuePlace(change.path, of: object(change.type, change.id ?? ""))
        let property = place.property
        guard property.type != .linkingObjects, !property.isPrimaryKey else {
            throw RequestFailure(422, "“\(property.columnName)” can't be changed here.")
        }
        let kind = place.kind(target: target(of: property))
        guard !kind.isCollection else {
            throw RequestFailure(422, "“\(kind.name)” is changed by its elements.")
        }
        if change.kind != .insert {
            let current = try current(change, at: &place).text
            guard current == change.before else {
                throw RequestFailure(
                    409,
                    Self.outdatedText(place, current) + " Take the change back, or keep yours.")
            }
        }
        let address = ObjectAddress(
            type: change.type, id: change.id ?? "", path: place.ownerPath)
        let kept = keeper.keepOnce(place.owner[property.name], address, property.columnName)
        if change.kind == .remove {
            try remove(place)
        } else {
            try put(try values.value(change.value, for: kind), change.kind, place, kind)
        }
        return kept.map { .set(address, property: property.columnName, $0) }
    }

    private func put(
        _ value: Any?, _ change: Change.Kind, _ place: ValuePlace, _ kind: ValueKind
    ) throws {
        var fits = true
        switch place.holder {
        case .object(let owner):
            guard change == .set else {
                throw RequestFailure(422, "“\(place.step)” is no collection.")
            }
            owner[place.property.name] = value
        case _ where kind.isEmbedded: try putEmbedded(value, change, place)
        case .elements(let elements):
            guard let elements = elements as? any EditableElements else {
                throw RequestFailure(422, "“\(place.property.columnName)” can't be changed here.")
            }
            fits =
                change == .set
                ? elements.set(value, at: Int(place.step) ?? 0) : elements.add(value)
        case .entries(let entries):
            if change == .insert { try checkIsFree(place) }
            fits = entries.put(value, under: place.step)
        }
        guard fits else {
            throw RequestFailure(422, "“\(place.property.columnName)” takes other values.")
        }
    }

    /// Puts an embedded object with default values into a collection, or null into a map.
    ///
    /// Collections take objects that exist; so this one is set as a whole.
    private func putEmbedded(_ value: Any?, _ change: Change.Kind, _ place: ValuePlace) throws {
        if let type = target(of: place.property), type.properties.contains(where: hasDeleteRule) {
            throw RequestFailure(
                422, "A \(type.objectTypeName) has a rule for deleting: it can't be added here.")
        }
        var keeper = ValueKeeper(references: references)
        let kept = keeper.keep(place.owner[place.property.name])
        guard keeper.isComplete else {
            throw RequestFailure(
                413, "“\(place.property.columnName)” has too many values to be changed here.")
        }
        let all = kept.value(linked)
        if var elements = all as? [Any], change == .insert {
            elements.append(value as Any)
            place.owner[place.property.name] = elements
        } else if var entries = all as? [String: Any] {
            if change == .insert, entries[place.step] != nil {
                throw RequestFailure(409, "There is an entry “\(place.step)” already.")
            }
            entries[place.step] = value as Any
            place.owner[place.property.name] = entries
        } else {
            throw RequestFailure(422, "An embedded object is changed by its values.")
        }
        kept.readdress(place.owner[place.property.name], in: references)
    }

    private func remove(_ place: ValuePlace) throws {
        switch place.holder {
        case .elements(let elements as any EditableElements):
            elements.remove(at: Int(place.step) ?? 0)
        case .entries(let entries): entries.removeEntry(under: place.step)
        default: throw RequestFailure(422, "“\(place.step)” is no element of a collection.")
        }
    }

    // MARK: Objects

    /// Adds an object with the values that were typed; others have their defaults.
    private func add(_ change: Change) throws -> DynamicObject {
        let type = try type(change.type)
        guard !type.isEmbedded else {
            throw RequestFailure(422, "A \(change.type) is a part of another object.")
        }
        var given: [String: Any] = [:]
        for (name, text) in change.values ?? [:] {
            guard let property = type[name] else {
                throw RequestFailure(422, "There is no property “\(name)”.")
            }
            given[property.name] = try values.value(
                text, for: ValueKind(property, target: target(of: property)))
        }
        return try realm.dynamicInsert(type.objectTypeName, value: given)
    }

    /// Deletes an object; gives what adds it again and sets what linked to it.
    private func delete(_ change: Change, _ keeper: inout ValueKeeper) throws -> [UndoStep] {
        let object = try object(change.type, change.id ?? "")
        guard !object.objectSchema.isEmbedded else {
            throw RequestFailure(422, "A \(change.type) is a part of another object.")
        }
        let address = ObjectAddress(type: change.type, id: change.id ?? "")
        // What it deletes with it, and so on, is not kept.
        if types.contains(where: { $0.properties.contains(where: hasDeleteRule) }) {
            keeper.giveUp()
        }
        let own = keeper.values(of: object)
        // They are set when the object is there again: undoing makes the last step first.
        let links = try linking(to: object, address, &keeper)
        realm.delete(object)
        return links + [.restore(address, own)]
    }

    private func hasDeleteRule(_ property: Property) -> Bool { property.deleteRule != .nullify }

    /// The values of all properties that link to an object.
    private func linking(
        to object: DynamicObject, _ address: ObjectAddress, _ keeper: inout ValueKeeper
    ) throws -> [UndoStep] {
        let name = object.objectSchema.objectTypeName
        var steps: [UndoStep] = []
        for origin in types where !origin.isAsymmetric {
            for property in origin.properties
            where property.type == .any
                || property.type == .object && target(of: property)?.isEmbedded == false
            {
                // A property of another type may be one of a base class.
                let isSame = property.type == .any || property.objectClassName == name
                guard
                    let sources = isSame
                        ? try objects(of: origin, linkingBy: property, to: object)
                        : try? objects(of: origin, linkingBy: property, to: object)
                else { continue }
                for source in sources {
                    guard keeper.isComplete else { return steps }
                    let id = references.address(of: source)
                    // What is embedded in the object itself is made anew with it.
                    let place =
                        keeper.embedded[id].map {
                            ObjectAddress(type: address.type, id: address.id, path: $0)
                        } ?? ObjectAddress(type: origin.objectTypeName, id: id)
                    steps.append(
                        .set(
                            place, property: property.columnName,
                            keeper.keep(source[property.name])))
                }
            }
        }
        return steps
    }

    // MARK: Undo

    /// Undoes the last commit.
    ///
    /// - Parameter request: the number of the commit, so that none is undone that was not shown.
    func undo(_ request: UndoRequest) throws -> JSON {
        guard let commit = undoHistory.commits.last, commit.number == request.number else {
            throw RequestFailure(
                409,
                "Another commit was made or undone in the meantime. Look at what is undone next.")
        }
        do {
            try change {
                for step in commit.steps.reversed() { try undo(step) }
            }
        } catch let failure as RequestFailure where failure.status == 410 {
            forgetUndo()
            throw RequestFailure(
                410, failure.message + " Nothing that was committed can be undone any more.")
        }
        undoHistory.removeLast()
        references.pin(undoHistory.numbers)
        return .object([("undo", undoHistory.json)])
    }

    /// After what can't be undone, nothing before it can be either.
    func forgetUndo() {
        undoHistory.forget()
        references.pin([])
    }

    private func undo(_ step: UndoStep) throws {
        switch step {
        case .set(let address, let name, let value):
            guard let owner = linked(address), let property = owner.objectSchema[name] else {
                throw RequestFailure(410, "\(address.type) \(address.id) is not there any more.")
            }
            owner[property.name] = value.value(linked)
            value.readdress(owner[property.name], in: references)
        case .delete(let address): realm.delete(try object(address.type, address.id))
        case .restore(let address, let values):
            let given = Dictionary(
                values.map { ($0.name, $0.value.value(linked) as Any) }, uniquingKeysWith: { $1 })
            let object = try realm.dynamicInsert(address.type, value: given)
            KeptValue.embedded(address.id, values).readdress(object, in: references)
        }
    }

    /// The object at an address, or what is embedded in it; nil if it is not there.
    private func linked(_ address: ObjectAddress) -> DynamicObject? {
        guard let object = try? object(address.type, address.id) else { return nil }
        guard !address.path.isEmpty else { return object }
        guard case .object(let embedded)? = try? value(at: address.path, of: object) else {
            return nil
        }
        return embedded
    }
}
