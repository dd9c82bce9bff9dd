import TravertineStore

/// The links of the elements of collections, and of those in values of any type.
extension DerivedBuilder {
    /// Enters the links of the elements of a collection, or of those in a value of any type.
    mutating func enterLinks(
        _ raw: _RawValue, _ slot: Int, of key: UInt64, _ rules: DerivedRules
    ) throws {
        guard case .bytes(let bytes) = raw, let rule = rules.linkRule(ofSlot: slot) else { return }
        if !visited.isEmpty { visited.removeAll() }
        let property = type.properties[slot]
        let source = LinkingSource(
            owner: CollectionOwner(keyspace: type.pieces, object: key, property: property.number),
            rule: rule, rules: rules)
        if property.collection != .none {
            try enterPiece(bytes, ElementRun(property.storedType), source, depth: 1)
        } else if property.type == .any {
            try enterNested(bytes, source, depth: 0)
        }
    }

    /// Whose links are entered, and by which rule.
    private struct LinkingSource {
        var owner: CollectionOwner
        let rule: DerivedRules.SlotRule
        let rules: DerivedRules
    }

    /// Enters the links of the collection, if it is one, that a value of any type is.
    private mutating func enterNested(
        _ bytes: UnsafeRawBufferPointer, _ source: LinkingSource, depth: Int
    ) throws {
        guard case .collection(let kind, let number) = MixedCode.reference(in: bytes) else {
            return
        }
        guard depth < MixedCode.depthMax else { throw Realm.Error.damagedSchema }
        var nested = source
        nested.owner.nested = number
        let piece = try node(0, nested.owner)
        let run = ElementRun(_StoredType(.any, collection: kind))
        try piece.withUnsafeBytes { try enterPiece($0, run, nested, depth: depth + 1) }
    }

    private mutating func enterPiece(
        _ bytes: UnsafeRawBufferPointer, _ run: ElementRun, _ source: LinkingSource, depth: Int
    ) throws {
        switch CollectionPiece(bytes) {
        case .inline(let count):
            guard count > 0 else { return }
            let elements = UnsafeRawBufferPointer(
                rebasing: bytes[CollectionPiece.inlineHeaderByteCount...])
            try enterElements(elements, run, source, depth)
        case .tree(let height, let root, let next, _):
            guard CollectionTree.soundHeights.contains(height) else {
                throw Realm.Error.damagedSchema
            }
            try enterNode(root, height, before: next, run, source, depth)
        }
    }

    private mutating func enterNode(
        _ node: UInt32, _ level: Int, before next: UInt32, _ run: ElementRun,
        _ source: LinkingSource, _ depth: Int
    ) throws {
        guard node < next else { throw Realm.Error.damagedSchema }
        let bytes = try self.node(node, source.owner)
        if level <= 1 {
            try bytes.withUnsafeBytes { try enterElements($0, run, source, depth) }
            return
        }
        for offset in stride(from: 0, to: bytes.count - 11, by: 12) {
            let child = bytes.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            try enterNode(child, level - 1, before: next, run, source, depth)
        }
    }

    private mutating func enterElements(
        _ elements: UnsafeRawBufferPointer, _ run: ElementRun, _ source: LinkingSource,
        _ depth: Int
    ) throws {
        var offset = 0
        let key = source.owner.object
        while let element = run.element(at: offset, in: elements) {
            offset = element.next
            source.rules.collect(
                .countUp, element: element.value, source.rule, of: key, into: entries)
            try put(of: key, source.rules, [])
            if case .bytes(let bytes) = element.value {
                try enterNested(bytes, source, depth: depth)
            }
        }
    }

    private mutating func node(_ node: UInt32, _ owner: CollectionOwner) throws -> [UInt8] {
        guard visited.insert(UInt64(owner.nested) << 32 | UInt64(node)).inserted else {
            throw Realm.Error.damagedSchema
        }
        let found = try owner.key(node).withBytes { (key) throws(StoreError) in
            try transaction.access.value(forKey: key, in: owner.keyspace).map { Array($0) }
        }
        guard let found else { throw Realm.Error.damagedSchema }
        return found
    }
}
