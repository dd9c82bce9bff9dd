import TravertineStore

/// Gives the values of stored properties to other properties, which take their names.
///
/// All of it is a part of the realm's transaction: each row of the type is read and written once,
/// and so is each node of the properties' collections. The old property is removed with its index,
/// its backlinks and its nodes; the objects that it owned belong to the new one.
struct PropertyConverter {
    private let session: RealmSession
    private let transaction: WriteTransaction
    private var keyspaces: SchemaKeyspaces { SchemaKeyspaces(transaction) }
    /// Rows that are changed between two looks at the keys.
    private static let chunkCount = 1024

    /// A property and what takes its place.
    struct Step {
        /// The number of the property.
        var number: UInt32
        var conversion: PropertyConversion
        /// What takes its place, without number and keyspaces.
        var successor: StoredProperty
    }

    /// A step with the new property's number.
    private struct Copy {
        var old: UInt32
        var new: UInt32
        var conversion: PropertyConversion
    }

    init(_ session: RealmSession) {
        self.session = session
        transaction = session.requireTransaction()
    }

    /// Converts properties of one type.
    ///
    /// - Returns: the type as it is stored then.
    func convert(_ steps: [Step], of table: TableState) throws -> StoredObjectType {
        var stored = table.stored
        var copies: [Copy] = []
        var old: [StoredProperty] = []
        for step in steps {
            guard let index = stored.properties.firstIndex(where: { $0.number == step.number })
            else { continue }
            old.append(stored.properties[index])
            var property = step.successor
            property.name = stored.properties[index].name
            property.number = stored.nextProperty
            stored.nextProperty += 1
            if property.type == .object || property.type == .any {
                property.backlinks = try keyspaces.make(
                    .backlinks(property: property.number), of: stored)
            }
            stored.properties[index].name = ""
            if stored.properties[index].isPrimaryKey {
                try keyspaces.dropPrimaryKey(of: &stored)
            }
            stored.properties.append(property)
            copies.append(
                Copy(old: step.number, new: property.number, conversion: step.conversion))
        }
        try keyspaces.addPieces(to: &stored)
        try store(stored, table)
        try copyValues(copies, table)
        try session.flushUnstored()
        stored = table.stored
        try remove(old, from: &stored)
        try store(stored, table)
        return table.stored
    }

    // MARK: The type

    /// Stores a type's record with a layout of its present properties.
    private func store(_ type: StoredObjectType, _ table: TableState) throws {
        var stored = type
        guard let layout = stored.layOut(after: try table.currentBinding().layout) else {
            throw Realm.Error(
                .schemaMismatch, "'\(type.name)' has too many properties for a row.",
                fileURL: session.shared.fileURL)
        }
        try StoredSchema.put(layout, of: stored.number, transaction, session.shared.schemaKeyspace)
        try StoredSchema.put(stored, transaction, session.shared.schemaKeyspace)
        session.change(stored)
        session.advance()
    }

    /// Removes properties with what is derived from them; objects that they own have another owner.
    private func remove(
        _ properties: [StoredProperty], from stored: inout StoredObjectType
    ) throws {
        let numbers = Set(properties.map(\.number))
        for property in properties {
            try keyspaces.drop([property.index, property.backlinks])
            try session.deleteNodes(of: RemovedProperty(property: property, pieces: stored.pieces))
        }
        let indexes = stored.indexes.filter { !numbers.isDisjoint(with: $0.properties) }
        try keyspaces.drop(indexes.map(\.keyspace))
        stored.indexes.removeAll { !numbers.isDisjoint(with: $0.properties) }
        stored.properties.removeAll { numbers.contains($0.number) }
    }

    // MARK: Values

    private func copyValues(_ copies: [Copy], _ table: TableState) throws {
        var last: UInt64?
        while true {
            var keys: [UInt64] = []
            try session.scan(table, after: last) { key, _ in
                keys.append(key)
                return keys.count < Self.chunkCount
            }
            guard let end = keys.last else { return }
            last = end
            for key in keys {
                // What is copied gets a new checksum: damage must not.
                _ = try session.access.value(forKey: key, in: table.stored.rows, verified: true)
                for copy in copies {
                    guard let source = table.slot(ofProperty: copy.old),
                        let target = table.slot(ofProperty: copy.new)
                    else { continue }
                    try self.copy(
                        CollectionStorage(session, table, key, source),
                        CollectionStorage(session, table, key, target), copy.conversion)
                }
            }
            try session.flushManyStagedRows()
        }
    }

    private func copy(
        _ source: CollectionStorage, _ target: CollectionStorage, _ conversion: PropertyConversion
    ) throws {
        switch (source.property.collection, target.property.collection) {
        case (.none, .none): try copyValue(source, target, conversion)
        case (.none, _):
            let value = try value(of: source)
            if source.property.isNothing(value) || value.withRaw({ conversion.drops($0) }) {
                return
            }
            var batch = ElementBatch(count: 1)
            try value.withRaw { try convert($0, conversion, source, target) }
                .withRaw { target.run.append($0, to: &batch.bytes) }
            try target.replace(0..<0, with: batch)
        case (let kind, .none):
            let number = try session.unstored.nodes.takeNumber(for: target.owner, session)
            let nested = target.nested(kind == .map ? .map : .list, number)
            try fill(nested, from: source, conversion)
            try MixedCode.encode(kind == .map ? .map : .list, number: number).withUnsafeBytes {
                try session.rowWriter(target.table, transaction).patch(
                    .bytes($0), at: target.slot, ofKey: target.key)
            }
        default:
            let batch = try elements(of: source, for: target, conversion)
            if batch.count > 0 { try target.replace(0..<0, with: batch) }
        }
    }

    private func copyValue(
        _ source: CollectionStorage, _ target: CollectionStorage, _ conversion: PropertyConversion
    ) throws {
        let property = target.property
        let value = try value(of: source)
        if source.property.isNothing(value), property.defaultValue == .null { return }
        if value == .null, !property.isOptional, property.type != .any { return }
        let converted = try value.withRaw { try convert($0, conversion, source, target) }
        try converted.withRaw {
            try session.rowWriter(target.table, transaction).patch(
                $0, at: target.slot, ofKey: target.key)
        }
    }

    /// The value of a property that is no collection, as its table reads it.
    private func value(of source: CollectionStorage) throws -> RawConstant {
        let table = source.table
        guard let row = try session.access.value(forKey: source.key, in: table.stored.rows) else {
            return .null
        }
        return RawConstant(table.value(at: source.slot, in: row, try table.binding(of: row)))
    }

    /// The elements of a collection as those of another.
    private func elements(
        of source: CollectionStorage, for target: CollectionStorage,
        _ conversion: PropertyConversion
    ) throws -> ElementBatch {
        // Taken out first: what they become may write nodes.
        let (from, to) = (source.run, target.run)
        var taken = ElementBatch()
        let count = try source.withPiece { try source.checkedPiece($0).count }
        try source.visitElements { element in
            if from.collection == .map {
                from.append(key: element.key, element.value, to: &taken.bytes)
            } else {
                from.append(element.value, to: &taken.bytes)
            }
            taken.count += 1
            return true
        }
        guard taken.count == count else { throw CollectionTree.damage }
        var batch = ElementBatch()
        try taken.bytes.withUnsafeBytes { bytes in
            var offset = 0
            while let element = from.element(at: offset, in: bytes) {
                offset = element.next
                if conversion.drops(element.value) { continue }
                let value = try convert(element.value, conversion, source, target)
                value.withRaw { raw in
                    if to.collection == .map {
                        to.append(key: element.key, raw, to: &batch.bytes)
                    } else {
                        to.append(raw, to: &batch.bytes)
                    }
                }
                batch.count += 1
            }
        }
        return to.collection == .set ? to.sorted(batch) : batch
    }

    /// Fills a new collection in a value of any type.
    private func fill(
        _ target: CollectionStorage, from source: CollectionStorage,
        _ conversion: PropertyConversion
    ) throws {
        let batch = try elements(of: source, for: target, conversion)
        try session.unstored.nodes.put(try target.piece(batch), 0, of: target.owner, session)
        try target.addBacklinks(batch)
    }

    /// What a value, or an element, becomes.
    private func convert(
        _ raw: _RawValue, _ conversion: PropertyConversion, _ source: CollectionStorage,
        _ target: CollectionStorage
    ) throws -> RawConstant {
        switch (conversion.element, raw) {
        case (_, .null): return target.run.type == .any ? .bytes([]) : .null
        case (.same, .bytes(let bytes)) where source.run.type == .any:
            guard case .collection(let kind, let number) = MixedCode.reference(in: bytes) else {
                return RawConstant(raw)
            }
            return .bytes(try copyNested(kind, number, source, target))
        case (.intToDouble, .word(let word)): return Double(word)._withRaw { RawConstant($0) }
        case (.intToDecimal128, .word(let word)):
            return Decimal128(word)._withRaw { RawConstant($0) }
        case (.floatToDouble, .word(let word)):
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: word))
            return Double(number)._withRaw { RawConstant($0) }
        case (.mixed(let type), .word(let word)):
            return .bytes(
                [MixedCode.tag(type)] + withUnsafeBytes(of: word.littleEndian, Array.init))
        case (.mixed(let type), .bytes(let bytes)):
            return .bytes([MixedCode.tag(type)] + bytes)
        case (.link, .word(let word)):
            guard let type = session.storedType(named: source.property.target)?.number else {
                return .bytes([])
            }
            return .bytes(
                MixedCode.encode(objectOfType: type, key: UInt64(bitPattern: word)))
        default: return RawConstant(raw)
        }
    }

    /// Copies a list or dictionary in a value of any type to where another property owns it.
    private func copyNested(
        _ kind: CollectionKind, _ number: UInt32, _ source: CollectionStorage,
        _ target: CollectionStorage
    ) throws -> [UInt8] {
        let number = (
            old: number, new: try session.unstored.nodes.takeNumber(for: target.owner, session)
        )
        let nested = target.nested(kind, number.new)
        guard nested.nesting.map({ $0.depth <= MixedCode.depthMax }) ?? true else {
            throw Realm.Error(
                .schemaMismatch,
                "Lists and dictionaries of '\(target.property.name)' would be nested more than "
                    + "\(MixedCode.depthMax) levels deep. Make them flatter before the schema changes.",
                fileURL: session.shared.fileURL)
        }
        try fill(nested, from: source.nested(kind, number.old), .unchanged)
        return MixedCode.encode(kind, number: number.new)
    }
}

extension StoredProperty {
    /// Whether a value of it is nil, or one of any type that holds nothing.
    func isNothing(_ value: RawConstant) -> Bool {
        value == .null || (type == .any && value == .bytes([]))
    }
}
