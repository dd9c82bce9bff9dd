import TravertineStore

/// How a path becomes hops, an end, and steps into a value of any type.
extension PropertyReader {
    func resolve() throws(QueryProblem) {
        var rest = path.steps[...]
        if element != nil {
            end = .element
            type.collection = .none
            steps = rest
            return try checkSteps("the element")
        }
        while let step = rest.first {
            rest.removeFirst()
            switch step {
            case .property(let name): try takeProperty(name, &rest)
            case .links(let type, let property): try takeLinks(type, property, &rest)
            case .type:
                try requireEnd(rest, "@type")
                end = .typeName
                type = _StoredType(.string)
                return
            default:
                throw problem(
                    "\(step.text) follows a collection or a value of any type, and "
                        + "'\(table.className)' is an object.")
            }
            if isEnded { return }
        }
        end = .object
        type = _StoredType(.object)
    }

    /// Whether the last step that was taken was the path's end.
    private var isEnded: Bool {
        if case .object = end { false } else { true }
    }

    private func problem(_ message: String) -> QueryProblem { QueryProblem(message: message) }

    private func requireEnd(
        _ rest: ArraySlice<PropertyPath.Step>, _ text: String
    ) throws(QueryProblem) {
        if let step = rest.first {
            throw problem("\(text) ends a path, and \(step.text) follows it.")
        }
    }

    // MARK: Properties

    private func takeProperty(
        _ name: String, _ rest: inout ArraySlice<PropertyPath.Step>
    ) throws(QueryProblem) {
        if let hop = inverseHop(name) { return takeInverse(hop, &rest) }
        guard let found = table.slot(named: name) else {
            let inverses = table.classInfo?.inverses.map(\.name) ?? []
            throw problem(
                "Property '\(name)' not found in object of type '\(table.className)'."
                    + NearNames.advice(on: name, among: table.publicNames + inverses))
        }
        let property = table.properties[found]
        let kind = property.collection
        slot = found
        type = property.storedType
        isVarying = property.isVarying
        if isVarying { type.type = .object }
        var selection = kind == .none ? Selection.only : .each
        if kind != .none {
            try takeSelection(name, kind, &rest, &selection)
            if case .keys = end { return }
        }
        guard let next = rest.first else {
            end = .property(selection)
            return
        }
        if property.type == .any, !isVarying {
            end = .property(selection)
            steps = rest
            return try checkSteps("'\(name)'")
        }
        guard type.type == .object, let target = session.table(named: property.target) else {
            throw problem(
                "Property '\(name)' of '\(table.className)' is \(property.storedType.text), and "
                    + "\(next.text) can't follow it.")
        }
        hops.append(
            Hop(
                table: table, slot: slot, selection: selection, target: target,
                rest: isVarying ? PropertyPath(Array(rest)) : nil))
        isVarying = false
        table = target
    }

    /// Takes the step that says which elements of a collection are meant, if there is one.
    private func takeSelection(
        _ name: String, _ kind: CollectionKind, _ rest: inout ArraySlice<PropertyPath.Step>,
        _ selection: inout Selection
    ) throws(QueryProblem) {
        guard let step = rest.first else { return }
        switch (step, kind) {
        case (.each, _), (.values, .map): break
        case (.position(let position), .list): selection = .position(position)
        case (.first, .list): selection = .position(0)
        case (.last, .list): selection = .last
        case (.key(let key), .map): selection = .key(Array(key.utf8))
        case (.keys, .map):
            rest.removeFirst()
            try requireEnd(rest, "@keys")
            end = .keys
            type = _StoredType(.string)
            isVarying = false
            return
        case (.position, _), (.first, _), (.last, _), (.key, _), (.keys, _), (.values, _):
            // A list of values of any type has keys inside, but not itself.
            throw problem(
                "Property '\(name)' of '\(table.className)' is a \(type.text), which \(step.text) "
                    + "does not go with: positions belong to lists, keys to maps.")
        case (.property, _), (.type, _), (.links, _): return
        }
        rest.removeFirst()
        if case .each = selection { return }
        type.collection = .none
    }

    /// Steps into a value of any type; of a value of another type there are none.
    private func checkSteps(_ owner: String) throws(QueryProblem) {
        guard let first = steps.first else { return }
        let holder = element?.type.type ?? type.type
        if holder != .any {
            throw problem("\(first.text) follows \(owner), which is \(holder).")
        }
        for (position, step) in zip(steps.indices, steps) {
            switch step {
            case .property, .links:
                throw problem(
                    "\(step.text) can't follow a value of any type: name its elements by [0], "
                        + "[\"key\"] or [*].")
            case .keys, .type:
                try requireEnd(steps[(position + 1)...], step.text)
                type = _StoredType(.string)
                isVarying = false
            default: break
            }
        }
    }

    // MARK: Linking objects

    private func takeInverse(_ hop: Hop, _ rest: inout ArraySlice<PropertyPath.Step>) {
        var hop = hop
        if rest.first == .each { rest.removeFirst() }
        if rest.isEmpty {
            end = .inverse(hop)
            type = _StoredType(.object)
            isVarying = !hop.derived.isEmpty
            return
        }
        hop.derivedRest = PropertyPath(Array(rest))
        hops.append(hop)
        table = hop.target
    }

    /// The hop to the objects that link to an object by a property that the class declares.
    private func inverseHop(_ name: String) -> Hop? {
        guard let inverse = table.classInfo?.inverses.first(where: { $0.name == name }),
            let source = inverse.valueType._storedType.targetClass
        else { return nil }
        let family = session.tables(ofClassesFrom: source)
        let target = family[0]
        guard let slot = target.slot(named: inverse.originProperty) else { return nil }
        return Hop(
            table: table, slot: slot, selection: .each, target: target, isInverse: true,
            derived: family.dropFirst())
    }

    private func takeLinks(
        _ type: String, _ property: String, _ rest: inout ArraySlice<PropertyPath.Step>
    ) throws(QueryProblem) {
        guard let source = session.table(named: type) else {
            throw problem("Object type '\(type)' is not in the realm's schema.")
        }
        guard let slot = source.slot(named: property) else {
            throw problem(
                "Property '\(property)' not found in object of type '\(type)'."
                    + NearNames.advice(on: property, among: source.publicNames))
        }
        let stored = source.properties[slot]
        let target = session.table(named: stored.target)
        let leadsHere = stored.isVarying || target === table
        guard stored.type == .object || stored.isVarying, stored.backlinks != .absent,
            leadsHere || target.map(isOfDerivedClass) ?? false
        else {
            throw problem(
                "'\(type).\(property)' is no link to '\(table.className)', so that @links can't "
                    + "follow it.")
        }
        let family = source.classInfo.map { session.tables(ofClassesFrom: $0.type) }
        takeInverse(
            Hop(
                table: table, slot: slot, selection: .each, target: source, isInverse: true,
                derived: family?.dropFirst() ?? [], leadsNowhere: !leadsHere),
            &rest)
    }

    /// Whether the objects are of a class derived from that of another table: what is asked of
    /// objects of the base class is asked of them as well.
    private func isOfDerivedClass(_ other: TableState) -> Bool {
        guard let own = table.classInfo?.type, let base = other.classInfo?.type else {
            return false
        }
        return base != own && base.isBase(of: own)
    }
}

extension PropertyPath.Step {
    /// The step as a text has it.
    var text: String { PropertyPath([self]).description }
}
