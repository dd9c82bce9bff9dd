import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Embedded objects and links.
extension ImportedObject {
    func putObject(_ value: AnyBSON, _ place: Place) throws(FieldRefusal) {
        if let embedded = plan.embedded[place.slot] {
            switch value {
            case .document(let document):
                let child = ImportedObject(embedded)
                try child.fill(document)
                put(word: try adopt(child, place.slot), place)
            case .null: try putNull(place)
            default: throw FieldRefusal("object expected, \(value.typeName) found")
            }
            return
        }
        guard let target = plan.targets[place.slot] else { return }
        if case .null = value { return try putNull(place) }
        try putLink(value, target, place)
    }

    private func adopt(
        _ child: ImportedObject, _ slot: Int
    ) throws(FieldRefusal) -> Int64 {
        do {
            let key = try draft.adopt(child.draft)
            children.append((child, UInt64(bitPattern: key), slot))
            return key
        } catch {
            throw FieldRefusal("\(error)")
        }
    }

    /// Takes an embedded object of the property's class, or of a derived one that it names.
    func putEmbedded(
        _ value: AnyBSON, ofClassesIn classes: [String: ImportPlan], _ place: Place
    ) throws(FieldRefusal) {
        let field = plan.type.fields[place.slot]
        guard case .document(let document) = value else {
            guard case .null = value else {
                throw FieldRefusal("object expected, \(value.typeName) found")
            }
            if place.isElement, field.collection != .map {
                throw FieldRefusal("object expected, null found")
            }
            return put(bytes: UnsafeRawBufferPointer(start: nil, count: 0), place)
        }
        var name = field.target
        if let named = document[RowType.classField] {
            guard let text = named.stringValue, classes[text] != nil else {
                throw FieldRefusal(
                    "\(named.stringValue.map { "\"\($0)\"" } ?? named.typeName) is none of "
                        + classes.keys.sorted().joined(separator: ", "), at: [RowType.classField])
            }
            name = text
        }
        guard let plan = classes[name] else { throw FieldRefusal("there is no type \(name)") }
        let child = ImportedObject(plan)
        try child.fill(document, skipping: RowType.classField)
        let key = try adopt(child, place.slot)
        draft.name(plan.type, key).withUnsafeBytes { put(bytes: $0, place) }
    }

    /// Links to the object with a key, or notes that there is none yet.
    private func putLink(
        _ value: AnyBSON, _ target: RowType, _ place: Place
    ) throws(FieldRefusal) {
        guard let keySlot = target.keySlot else { return }
        let (key, targetKey) = try self.key(value, of: target, keySlot)
        if let key { return put(word: Int64(bitPattern: key), place) }
        try wait(
            WaitingLink(
                slot: place.slot, position: place.position, mapKey: place.mapKey,
                target: target.name, targetKey: targetKey))
        if !place.isElement {
            draft.setNull(place.slot)
        } else if plan.type.fields[place.slot].collection == .map {
            draft.addNull()
        }
    }

    /// Notes the object that a DBRef in a value of any type will be, if it is one whose target is
    /// not there yet.
    ///
    /// - Returns: the type of the target, if the value waits for it.
    func waits(
        _ value: AnyBSON, _ slot: Int, path: [MixedStep]
    ) throws(FieldRefusal) -> RowType? {
        guard let reference = value.linkReference,
            let target = plan.plans.type(referredToAs: reference.collection),
            let keySlot = target.keySlot, !target.isEmbedded, !target.isAsymmetric
        else { return nil }
        let type = target.fields[keySlot].type
        let key = reference.id.withKey(type) { LinkResolver.targetKey($0, type) }
        guard let key, object(reference) == nil else { return nil }
        try wait(
            WaitingLink(
                slot: slot, position: waiting.count, path: path, target: target.name,
                targetKey: key))
        return target
    }

    /// Notes a link whose target is not there.
    private func wait(_ link: WaitingLink) throws(FieldRefusal) {
        guard LinkResolver.canWait(unresolved(link, of: 0)) else {
            throw FieldRefusal(
                "the key is too long for a link to wait by: store the \(link.target) first")
        }
        waiting.append(link)
    }

    private func unresolved(_ link: WaitingLink, of key: UInt64) -> UnresolvedLink {
        UnresolvedLink(
            source: plan.type.name, sourceKey: key, property: plan.type.fields[link.slot].name,
            position: UInt32(clamping: link.position), mapKey: link.mapKey, path: link.path,
            target: link.target, targetKey: link.targetKey)
    }

    // MARK: Links to a class or classes derived from it

    /// Takes a link whose value names the type of its object: a DBRef, or the key of one of the
    /// property's own type.
    func putVarying(_ value: AnyBSON, _ place: Place) throws(FieldRefusal) {
        if case .null = value {
            if plan.isRequired[place.slot] { throw FieldRefusal("required, and null") }
            return draft.setMixed(place.slot, .none)
        }
        let (type, targetKey, object) = try varyingTarget(value, place.slot)
        if let object { return draft.setLater(place.slot, object) }
        try wait(WaitingLink(slot: place.slot, target: type.name, targetKey: targetKey))
        draft.setMixed(place.slot, .none)
    }

    /// The object that an element of a collection of such links leads to; nil if it waits for it.
    func varyingElement(_ value: AnyBSON, _ place: Place) throws(FieldRefusal) -> Any? {
        if case .null = value {
            guard plan.type.fields[place.slot].collection == .map else {
                throw FieldRefusal("a link expected, null found")
            }
            return nil
        }
        let (type, targetKey, object) = try varyingTarget(value, place.slot)
        if let object { return object }
        try wait(
            WaitingLink(
                slot: place.slot, position: place.position, mapKey: place.mapKey,
                target: type.name, targetKey: targetKey))
        return nil
    }

    private func varyingTarget(
        _ value: AnyBSON, _ slot: Int
    ) throws(FieldRefusal) -> (type: RowType, key: [UInt8], object: Object?) {
        guard let base = plan.targets[slot] else { throw FieldRefusal("the target is missing") }
        let reference = value.linkReference
        let target = reference.map { plan.plans.type(referredToAs: $0.collection) } ?? base
        guard let target, let keySlot = target.keySlot, plan.type.admits(target, at: slot) else {
            throw FieldRefusal(
                "a link to a \(base.name) cannot lead to a \(reference?.collection ?? ""); a "
                    + "derived class must be one of the realm's")
        }
        let (key, targetKey) = try self.key(reference?.id ?? value, of: target, keySlot)
        return (target, targetKey, key.flatMap { target.object(ofKey: $0) })
    }

    /// The object that a value is the primary key of, if it is there, and that key as links wait by
    /// it.
    private func key(
        _ value: AnyBSON, of target: RowType, _ keySlot: Int
    ) throws(FieldRefusal) -> (key: UInt64?, targetKey: [UInt8]) {
        let type = target.fields[keySlot].type
        let found: (UInt64?, [UInt8])?
        do {
            found = try value.withKey(type) { raw in
                (try target.key(forPrimaryKey: raw), LinkResolver.targetKey(raw, type))
            }
        } catch {
            throw FieldRefusal("\(error)")
        }
        guard let found else {
            throw FieldRefusal(
                "\(type.schemaScalar.rawValue) expected, the key of a \(target.name); "
                    + "\(value.typeName) found")
        }
        return found
    }

    /// The required links that have no target yet, those of embedded objects too.
    var missing: [MissingTarget] {
        if waiting.isEmpty, children.isEmpty { return [] }
        let own = waiting.filter { plan.type.fields[$0.slot].isRequired }.map { link in
            MissingTarget(
                LinkTarget(link.target, link.targetKey), path: plan.type.fields[link.slot].name)
        }
        return own
            + children.flatMap { child in
                child.object.missing.map { missing in
                    MissingTarget(
                        missing.target,
                        path: plan.type.fields[child.slot].name + "." + missing.path)
                }
            }
    }

    /// Writes down the links without target, of embedded objects too.
    func writeDownLinks(_ key: UInt64, _ resolver: LinkResolver) throws {
        for link in waiting { try resolver.add(unresolved(link, of: key)) }
        for (child, key, _) in children { try child.writeDownLinks(key, resolver) }
    }
}

extension AnyBSON {
    /// Whether a property of any type can hold the value only once its object has a key.
    var needsObjectKey: Bool {
        switch self {
        case .array, .document: true
        default: false
        }
    }

    /// The value of a primary key of a type in its stored form; nil for one of another.
    init?(key raw: _RawValue, _ type: PropertyType) {
        switch (type, raw) {
        case (.int, .word(let word)): self = .int64(word)
        case (.string, .bytes(let text)): self = .string(String(decoding: text, as: UTF8.self))
        case (.data, .bytes(let bytes)): self = .binary(Data(bytes))
        case (.objectId, .bytes):
            guard let id = ObjectId._from(raw) else { return nil }
            self = .objectId(id)
        case (.UUID, .bytes):
            guard let uuid = UUID._from(raw) else { return nil }
            self = .uuid(uuid)
        default: return nil
        }
    }

    /// Calls `body` with the stored form of a primary key of a type; nil for a value of another.
    func withKey<Result>(
        _ type: PropertyType, _ body: (_RawValue) throws -> Result
    ) rethrows -> Result? {
        switch (type, self) {
        case (.int, .int32(let number)): try body(.word(Int64(number)))
        case (.int, .int64(let number)): try body(.word(number))
        case (.string, .string(var text)):
            try text.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
        case (.data, .binary(let binary)) where binary.subtype == 0 || binary.subtype == 2:
            try binary.data.withUnsafeBytes { try body(.bytes($0)) }
        case (.objectId, .objectId(let id)):
            try id.storedBytes.withUnsafeBytes { try body(.bytes($0)) }
        case (.UUID, .uuid(let uuid)):
            try withUnsafeBytes(of: uuid.uuid) { try body(.bytes($0)) }
        default: nil
        }
    }
}

extension ObjectId {
    /// The twelve bytes.
    var storedBytes: [UInt8] {
        _withRaw { raw in
            if case .bytes(let bytes) = raw { Array(bytes) } else { [] }
        }
    }
}
