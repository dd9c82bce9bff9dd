import TravertineStore

/// Lets links lead to objects of derived classes.
///
/// A property that links to a class of which the schema has derived ones is *varying*: its values
/// are stored as values of any type. One that was stored before the first derived class came is
/// made varying here, which reads and writes the rows that have it; it keeps its values and needs
/// no higher schema version. It stays varying when the derived classes go.
struct LinkVariation {
    private let core: RealmCore
    private let transaction: WriteTransaction
    /// Rows that are changed between two looks at the keys.
    private static let chunkCount = 4096

    /// Whether a declared property can link to objects of several of the classes.
    static func varies(_ declared: ClassInfo.Property, _ classes: [ClassInfo]) -> Bool {
        guard declared.type.type == .object, let target = declared.type.targetClass else {
            return false
        }
        return classes.contains { $0.type != target && target.isBase(of: $0.type) }
    }

    /// The numbers of stored properties that have to become varying, by type.
    static func pending(
        _ schema: StoredSchema, _ classes: [ClassInfo]
    ) -> [UInt32: Set<UInt32>] {
        var found: [UInt32: Set<UInt32>] = [:]
        let bases = classes.filter { base in
            classes.contains { $0 !== base && base.type.isBase(of: $0.type) }
        }
        if bases.isEmpty { return [:] }
        for info in classes {
            for declared in info.properties {
                guard declared.type.type == .object,
                    bases.contains(where: { $0.type == declared.type.targetClass }),
                    let type = schema.type(named: info.storedName),
                    let property = type.properties.first(where: {
                        $0.name == declared.storedName
                    }), property.type == .object
                else { continue }
                found[type.number, default: []].insert(property.number)
            }
        }
        return found
    }

    /// Makes stored properties varying, in the realm's transaction.
    static func apply(_ pending: [UInt32: Set<UInt32>], _ core: RealmCore) throws {
        let variation = LinkVariation(core: core, transaction: core.requireTransaction())
        var schema = core.schema
        for (type, properties) in pending.sorted(by: { $0.key < $1.key }) {
            guard let table = try core.tableWithoutClass(number: type) else { continue }
            schema.replace(try variation.vary(properties, of: table))
        }
        // Programs that don't know varying links must not open the store from now on.
        try StoredSchema.put(
            StoredSchema.headerKey, schema.encodedHeader, variation.transaction,
            core.shared.schemaKeyspace)
        core.variationCount += 1
    }

    // MARK: One type

    private func vary(
        _ numbers: Set<UInt32>, of table: ObjectTable
    ) throws -> StoredObjectType {
        var stored = table.stored
        var successors: [UInt32: UInt32] = [:]
        for number in numbers.sorted() {
            guard let place = stored.properties.firstIndex(where: { $0.number == number }) else {
                continue
            }
            var property = stored.properties[place]
            stored.properties[place].name = ""
            property.number = stored.nextProperty
            stored.nextProperty += 1
            property.makeVarying()
            property.backlinks = try keyspace(stored, "backlinks.\(property.number)", .derived)
            successors[number] = property.number
            stored.properties.append(property)
        }
        if stored.pieces == 0 { stored.pieces = try keyspace(stored, "pieces", .records) }
        try store(stored, table)
        try copyValues(successors, table)
        stored = table.stored
        for property in stored.properties where successors[property.number] != nil {
            if let keyspace = transaction.knownKeyspace(id: property.backlinks) {
                try transaction.dropKeyspace(keyspace)
            }
        }
        stored.properties.removeAll { successors[$0.number] != nil }
        try store(stored, table)
        return table.stored
    }

    /// Stores a type's record with a layout of its present properties.
    private func store(_ type: StoredObjectType, _ table: ObjectTable) throws {
        var stored = type
        guard let layout = stored.layOut(after: try table.currentBinding().layout) else {
            throw Realm.Error(
                .schemaMismatch, "'\(type.name)' has too many properties for a row.",
                fileURL: core.shared.fileURL)
        }
        try StoredSchema.put(layout, of: stored.number, transaction, core.shared.schemaKeyspace)
        try StoredSchema.put(stored, transaction, core.shared.schemaKeyspace)
        core.change(stored)
        core.advance()
    }

    private func keyspace(
        _ type: StoredObjectType, _ role: String, _ kind: Keyspace.Kind
    ) throws -> UInt32 {
        try transaction.keyspace(named: "type.\(type.number).\(role)", kind: kind).id
    }

    // MARK: Values

    private func copyValues(_ successors: [UInt32: UInt32], _ table: ObjectTable) throws {
        var last: UInt64?
        while true {
            var keys: [UInt64] = []
            try core.scan(table, after: last) { key, _ in
                keys.append(key)
                return keys.count < Self.chunkCount
            }
            guard let end = keys.last else { return }
            last = end
            for key in keys {
                for (old, new) in successors {
                    guard let source = table.slot(ofProperty: old),
                        let target = table.slot(ofProperty: new)
                    else { continue }
                    try copy(
                        CollectionStorage(core, table, key, source),
                        CollectionStorage(core, table, key, target))
                }
            }
        }
    }

    /// Copies a link, or a collection of links, to where it names the types of its objects.
    private func copy(_ source: CollectionStorage, _ target: CollectionStorage) throws {
        guard let type = core.storedType(named: source.property.target)?.number else {
            return
        }
        if source.property.collection != .none {
            try copyElements(source, target, type)
            return
        }
        let table = source.table
        guard let row = try core.access.value(forKey: source.key, in: table.stored.rows),
            case .word(let word) = table.value(
                at: source.slot, in: row, try table.binding(of: row))
        else { return }
        let key = UInt64(bitPattern: word)
        try MixedCode.encode(objectOfType: type, key: key).withUnsafeBytes {
            try core.replace(.bytes($0), at: target.slot, ofKey: source.key, in: table)
            try target.retain($0)
        }
    }

    private func copyElements(
        _ source: CollectionStorage, _ target: CollectionStorage, _ type: UInt32
    ) throws {
        let run = target.run
        var batch = ElementBatch()
        try source.visitElements { element in
            var link: [UInt8] = []
            if case .word(let word) = element.value {
                link = MixedCode.encode(objectOfType: type, key: UInt64(bitPattern: word))
            }
            link.withUnsafeBytes {
                if run.collection == .map {
                    run.append(key: element.key, .bytes($0), to: &batch.bytes)
                } else {
                    run.append(.bytes($0), to: &batch.bytes)
                }
            }
            batch.count += 1
            return true
        }
        if batch.count == 0 { return }
        if run.collection == .set { batch = run.sorted(batch) }
        let piece = try source.withPiece { CollectionPiece($0) }
        if var tree = CollectionTree(core, source.owner, source.run, piece) {
            try tree.remove(0..<batch.count)
        }
        try target.replace(0..<0, with: batch)
    }
}

extension StoredProperty {
    /// Lets each value name the type of its object.
    mutating func makeVarying() {
        isVarying = true
        type = .any
        isOptional = false
    }
}

extension StoredObjectType {
    /// Makes a layout of the present properties the current one; widths stay as far as they were.
    ///
    /// - Returns: the layout, to be stored; nil if there are too many properties or layouts.
    mutating func layOut(after before: Layout?) -> Layout? {
        let fields = properties.map { property in
            let entry = before?.entries.first { $0.property == property.number }
            return Layout.Field(
                property: property.number, type: property.storedType,
                width: max(Int(entry?.width ?? 0), property.type.narrowestWidth))
        }
        guard nextLayout < .max,
            let layout = Layout(
                number: nextLayout, fields: fields, endWidth: Int(before?.endWidth ?? 1))
        else { return nil }
        currentLayout = layout.number
        nextLayout += 1
        return layout
    }
}
