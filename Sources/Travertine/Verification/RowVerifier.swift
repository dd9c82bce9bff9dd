import TravertineStore

/// Reads every row of a type, and everything that belongs to it, and notes what does not decode.
struct RowVerifier {
    let access: ReadAccess
    let type: StoredObjectType
    private let schema: StoredSchema
    private let schemaKeyspace: KeyspaceID
    private let slots: [TableSlot]
    private var bindings: [UInt16: LayoutBinding] = [:]
    private var collections: CollectionVerifier
    /// The backlinks that can own objects of this type.
    private let owners: [OwningBacklinks]
    private(set) var objectCount = 0
    private(set) var problems: ObjectProblems
    /// Stored values that a property's type has no value for.
    private(set) var unknownValues: ObjectProblems
    /// What the properties' types have values for, by the property's number.
    private let domains: [UInt32: ValueDomainTest]

    init(
        _ access: ReadAccess, _ schema: StoredSchema, _ type: StoredObjectType,
        schemaKeyspace: KeyspaceID, valueDomains: [StoredSchema.PropertyName: ValueDomain] = [:]
    ) {
        self.access = access
        self.schema = schema
        self.type = type
        self.schemaKeyspace = schemaKeyspace
        slots = type.properties.map { TableSlot(property: $0.number, type: $0.storedType) }
        collections = CollectionVerifier(access, schema)
        problems = ObjectProblems(type.name)
        unknownValues = ObjectProblems(type.name, .warning)
        domains = type.properties.reduce(into: [:]) { domains, property in
            let name = StoredSchema.PropertyName(type: type.number, property: property.number)
            guard let domain = valueDomains[name], !property.isOptional else { return }
            domains[property.number] = ValueDomainTest(domain)
        }
        owners =
            type.isEmbedded
            ? schema.types.flatMap(\.properties).compactMap { OwningBacklinks(of: $0, to: type) }
            : []
    }

    /// Reads all rows.
    mutating func verify() {
        do {
            var cursor = access.cursor(in: type.rows)
            var isValid = try cursor.seekToFirst()
            while isValid {
                objectCount += 1
                let key = cursor.withKey { Array($0) }
                verify(key) { () throws(StoreError) in try cursor.value(verified: true) }
                isValid = try cursor.next()
            }
            verifyNodeCount()
        } catch {
            problems.add("its rows can't be read: \(error)", advice: ObjectAdvice.row)
        }
    }

    private mutating func verify(
        _ key: [UInt8], _ value: () throws(StoreError) -> UnsafeRawBufferPointer
    ) {
        guard key.count == 8 else {
            problems.add("a row has a key of \(key.count) bytes.", advice: ObjectAdvice.row)
            return
        }
        let number = key.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        do {
            let row = try value()
            let binding = try binding(of: row)
            try verifyEnds(of: row, binding.layout)
            for (slot, property) in type.properties.enumerated() {
                guard let raw = binding.value(at: slot, in: row) else { continue }
                verify(raw, property, number)
            }
        } catch {
            problems.add("object \(name(number)) \(error)", advice: ObjectAdvice.row)
        }
        if type.isEmbedded { verifyOwner(of: number) }
    }

    /// How an object is called in a finding: by its key.
    private func name(_ number: UInt64) -> String {
        type.keyKind == .integerPrimaryKey
            ? "\(Int64(bitPattern: number ^ 1 << 63))" : "with the key \(number)"
    }

    private mutating func binding(of row: UnsafeRawBufferPointer) throws -> LayoutBinding {
        guard row.count >= 2 else { throw Undecodable("has a row of \(row.count) bytes.") }
        let number = UInt16(littleEndian: row.loadUnaligned(as: UInt16.self))
        var found = bindings[number]
        if found == nil {
            let layout: Layout?
            do {
                layout = try StoredSchema.loadLayout(
                    access, keyspace: schemaKeyspace, type: type.number, number: number)
            } catch {
                throw Undecodable("has layout \(number), whose record is damaged.")
            }
            guard let layout else { throw Undecodable("has layout \(number), which is missing.") }
            found = LayoutBinding(layout, slots: slots)
            bindings[number] = found
        }
        guard let found, row.count >= Int(found.layout.fixedByteCount) else {
            throw Undecodable("has a row of \(row.count) bytes, too short for layout \(number).")
        }
        return found
    }

    /// Ends of variable pieces ascend, and lie in the row.
    private func verifyEnds(of row: UnsafeRawBufferPointer, _ layout: Layout) throws {
        var before = Int(layout.fixedByteCount)
        for entry in layout.entries where entry.shape == .variable {
            var end = 0
            for byte in 0..<Int(layout.endWidth) {
                end |= Int(row[Int(entry.offset) + byte]) << (8 * byte)
            }
            guard end >= before, end <= row.count else {
                throw Undecodable("has a row whose pieces contradict its length.")
            }
            before = end
        }
    }

    private mutating func verify(_ raw: _RawValue, _ property: StoredProperty, _ number: UInt64) {
        let owner = CollectionOwner(
            keyspace: type.pieces, object: number, property: property.number)
        let problem = collections.problem(
            raw, property.storedType, target: property.target, owner, ofProperty: true,
            domain: property.collection == .none ? nil : domains[property.number])
        guard let problem else { return verifyDomain(raw, property, number) }
        problems.add(
            "'\(property.name)' of object \(name(number)) \(problem)",
            advice: problem.isLink ? ObjectAdvice.link : ObjectAdvice.row)
    }

    /// A value that the type has none for reads as the first case, or as zero, also in a
    /// collection.
    private mutating func verifyDomain(
        _ raw: _RawValue, _ property: StoredProperty, _ number: UInt64
    ) {
        guard let domain = domains[property.number] else { return }
        if property.collection != .none {
            guard let (first, count) = collections.unknown else { return }
            unknownValues.add(
                "'\(property.name)' of object \(name(number)) has \(count) "
                    + "element\(count == 1 ? "" : "s") that \(domain.lack), first \(first.text).",
                advice: domain.advice)
            return
        }
        let value = RawConstant(raw)
        if value == .null || domain.contains(value) { return }
        unknownValues.add(
            "'\(property.name)' of object \(name(number)) is \(value.text), which \(domain.lack).",
            advice: domain.advice)
    }

    /// Nodes that no collection reached are left over.
    private mutating func verifyNodeCount() {
        guard type.pieces != .absent, problems.findings.isEmpty else { return }
        let count = access.count(in: type.pieces)
        if count > collections.nodeCount {
            problems.add(
                "\(count - collections.nodeCount) nodes belong to no collection.",
                advice: ObjectAdvice.orphan)
        }
    }

    // MARK: Owners

    private mutating func verifyOwner(of number: UInt64) {
        var count: UInt64 = 0
        do {
            for backlinks in owners {
                // Of what waits to be rebuilt nothing is known.
                if access.tree(of: backlinks.keyspace).flags & TreeFlags.invalid != 0 { return }
                count &+= try linkCount(to: number, in: backlinks)
            }
        } catch {
            problems.add("its owners can't be read: \(error)", advice: ObjectAdvice.owner)
            return
        }
        if count == 1 { return }
        problems.add(
            "embedded object \(name(number)) has \(count == 0 ? "no owner" : "\(count) owners").",
            advice: ObjectAdvice.owner)
    }

    private func linkCount(
        to number: UInt64, in backlinks: OwningBacklinks
    ) throws -> UInt64 {
        var prefix = IndexKey()
        prefix.set(backlinkTo: number, ofType: backlinks.targetType)
        var count: UInt64 = 0
        var cursor = access.cursor(in: backlinks.keyspace)
        var isValid = try prefix.withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid, cursor.withKey({ $0.starts(with: prefix.bytes) }) {
            count &+= cursor.indexValue
            isValid = try cursor.next()
        }
        return count
    }
}

/// Backlinks by which objects of an embedded type can have an owner.
private struct OwningBacklinks {
    let keyspace: KeyspaceID
    /// The number of the embedded type, if entries begin with it.
    let targetType: UInt32?

    /// Nil if the property can't own objects of the type.
    ///
    /// The stored schema does not know which classes derive from the target of a varying link, so
    /// that each of them may lead to the type.
    init?(of property: StoredProperty, to type: StoredObjectType) {
        guard property.isOwning, property.backlinks != .absent,
            property.isVarying || property.target == type.name
        else { return nil }
        keyspace = property.backlinks
        targetType = property.isVarying ? type.number : nil
    }
}

extension RawConstant {
    /// The value for a message.
    fileprivate var text: String {
        switch self {
        case .null: "nil"
        case .word(let word): "\(word)"
        case .bytes(let bytes): "\"\(String(decoding: bytes.prefix(64), as: UTF8.self))\""
        }
    }
}

/// Why a row does not decode, as the end of a sentence that begins with the object.
private struct Undecodable: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
