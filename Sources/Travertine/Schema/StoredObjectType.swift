import TravertineStore

/// An object type as the store knows it.
struct StoredObjectType: Equatable {
    /// How an object gets its key.
    enum KeyKind: UInt8 {
        /// The engine counts up.
        case assigned = 0
        /// The primary key, an Int, with its sign flipped.
        case integerPrimaryKey = 1
    }

    var number: UInt32
    var name: String
    var keyKind = KeyKind.assigned
    /// Whether the objects belong to others.
    var isEmbedded = false
    /// Whether the objects are only written, and wait for a consumer in the outbox.
    var isAsymmetric = false
    /// Keyspaces: rows by object key; pieces of large collections; object keys by primary key.
    var rows = KeyspaceID.absent
    var pieces = KeyspaceID.absent
    var keyIndex = KeyspaceID.absent
    /// The number of the next property; numbers are never used again.
    var nextProperty: UInt32 = 1
    /// The layout that new rows get, and the number of the next layout.
    var currentLayout: UInt16 = 0
    var nextLayout: UInt16 = 1
    var properties: [StoredProperty] = []
    /// Indexes beside those of single properties.
    var indexes: [StoredIndex] = []

    /// The object key that an integer primary key is, for key kind 1.
    @inline(__always)
    static func objectKey(ofPrimaryKey word: Int64) -> UInt64 {
        UInt64(bitPattern: word) ^ (1 << 63)
    }

    /// Whether a transaction that changed properties or layouts is between another state of the
    /// type and this one.
    func isLater(than other: StoredObjectType) -> Bool {
        (nextProperty > other.nextProperty || nextLayout > other.nextLayout)
            && nextProperty >= other.nextProperty && nextLayout >= other.nextLayout
    }

    /// The same without what says how rows are laid out, which any transaction may change.
    var withoutLayouts: StoredObjectType {
        var type = self
        type.currentLayout = 0
        type.nextLayout = 0
        return type
    }

    /// The same in keyspaces that no store has: a type that went with a rolled-back transaction, or
    /// never came.
    var withoutKeyspaces: StoredObjectType {
        var type = self
        type.number = .max
        type.rows = .nonexistent
        type.pieces = .nonexistent
        type.keyIndex = .nonexistent
        type.indexes = []
        for index in type.properties.indices {
            type.properties[index].index = .absent
            type.properties[index].backlinks = .absent
        }
        return type
    }

    var primaryKey: StoredProperty? { properties.first { $0.isPrimaryKey } }

    /// Every derived keyspace of the type.
    var derivedKeyspaces: [KeyspaceID] {
        ([keyIndex] + properties.flatMap { [$0.index, $0.backlinks] } + indexes.map(\.keyspace))
            .filter { $0 != .absent }
    }
}

/// A property as the store knows it.
struct StoredProperty: Equatable {
    var number: UInt32
    var name: String
    var type: PropertyType
    var isOptional: Bool
    var collection: CollectionKind
    /// The stored name of the type that a link points to.
    var target: String
    var isPrimaryKey: Bool
    var isIndexed: Bool
    /// Whether the objects that it links to belong to the linking object.
    var isOwning = false
    /// What becomes of the linked objects when the linking object is deleted.
    var deleteRule = DeleteRule.nullify
    /// Whether it links to objects of the target's class and of classes derived from it: then its
    /// type is `any`, and each value names the type of its object.
    var isVarying = false
    /// Whether it is a link that must lead to an object when a transaction is committed.
    var isRequired = false
    /// The keyspace of the secondary index; 0 without one.
    var index = KeyspaceID.absent
    /// The keyspace of the backlinks; 0 unless the property links.
    var backlinks = KeyspaceID.absent
    /// What rows have that are older than the property.
    var defaultValue = RawConstant.null

    /// Whether it is removed by a migration that goes on: it has a name that no property has.
    var isHidden: Bool { name.hasPrefix(Self.hiddenPrefix) }

    private static let hiddenPrefix = "\0"

    /// Lets it be found by its number only, until the migration ends.
    mutating func hide() { if !isHidden { name = Self.hiddenPrefix + name } }

    var storedType: _StoredType {
        _StoredType(type, isOptional: isOptional, collection: collection)
    }
}

extension StoredProperty {
    /// Whether it is not decided yet what nil means in rows, though the declaration says that
    /// there is none.
    func lacksDefault(_ declared: ClassInfo.Property) -> Bool {
        defaultValue == .null && declared.defaultValue != .null && !declared.type.isOptional
            && declared.type.collection == .none && type != .any && type != .object
    }
}

extension StoredObjectType {
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(number)
        writer.append(name)
        writer.append(UInt8(isEmbedded ? 1 : isAsymmetric ? 2 : 0))
        writer.append(keyKind.rawValue)
        writer.append(rows)
        writer.append(pieces)
        writer.append(keyIndex)
        writer.append(nextProperty)
        writer.append(currentLayout)
        writer.append(nextLayout)
        writer.append(UInt32(properties.count))
        for property in properties {
            writer.append(property.number)
            writer.append(property.name)
            writer.append(UInt8(property.type.rawValue))
            writer.append(property.collection.rawValue)
            writer.append(
                (property.isOptional ? 1 : 0) | (property.isPrimaryKey ? 2 : 0)
                    | (property.isIndexed ? 4 : 0) | (property.isOwning ? 8 : 0)
                    | UInt16(property.deleteRule.rawValue) << 4
                    | (property.isVarying ? 64 : 0) | (property.isRequired ? 128 : 0) as UInt16)
            writer.append(property.target)
            writer.append(property.index)
            writer.append(property.backlinks)
            property.defaultValue.write(to: &writer)
        }
        if !indexes.isEmpty {
            writer.append(UInt16(indexes.count))
            for index in indexes { index.write(to: &writer) }
        }
        return writer.bytes
    }

    init(encoded: UnsafeRawBufferPointer) throws(SchemaDamage) {
        var reader = ByteReader(encoded)
        number = try reader.take(UInt32.self)
        name = try reader.takeText()
        let kind = try reader.take(UInt8.self)
        guard kind <= 2 else { throw SchemaDamage() }
        isEmbedded = kind == 1
        isAsymmetric = kind == 2
        guard let keyKind = KeyKind(rawValue: try reader.take(UInt8.self)) else {
            throw SchemaDamage()
        }
        self.keyKind = keyKind
        rows = try reader.takeKeyspace()
        pieces = try reader.takeKeyspace()
        keyIndex = try reader.takeKeyspace()
        nextProperty = try reader.take(UInt32.self)
        currentLayout = try reader.take(UInt16.self)
        nextLayout = try reader.take(UInt16.self)
        let count = try reader.take(UInt32.self)
        for _ in 0..<count { properties.append(try StoredProperty(&reader)) }
        if reader.isAtEnd { return }
        let indexCount = try reader.take(UInt16.self)
        for _ in 0..<indexCount { indexes.append(try StoredIndex(&reader)) }
    }
}

extension StoredProperty {
    fileprivate init(_ reader: inout ByteReader) throws(SchemaDamage) {
        number = try reader.take(UInt32.self)
        name = try reader.takeText()
        guard let type = PropertyType(rawValue: Int(try reader.take(UInt8.self))),
            let collection = CollectionKind(rawValue: try reader.take(UInt8.self))
        else { throw SchemaDamage() }
        self.type = type
        self.collection = collection
        let flags = try reader.take(UInt16.self)
        isOptional = flags & 1 != 0
        isPrimaryKey = flags & 2 != 0
        isIndexed = flags & 4 != 0
        isOwning = flags & 8 != 0
        guard let rule = DeleteRule(rawValue: UInt8(truncatingIfNeeded: flags >> 4) & 3) else {
            throw SchemaDamage()
        }
        deleteRule = rule
        isVarying = flags & 64 != 0
        isRequired = flags & 128 != 0
        target = try reader.takeText()
        index = try reader.takeKeyspace()
        backlinks = try reader.takeKeyspace()
        switch try reader.take(UInt8.self) {
        case 0: defaultValue = .null
        case 1: defaultValue = .word(try reader.take(Int64.self))
        case 2: defaultValue = .bytes(try reader.takeCounted())
        default: throw SchemaDamage()
        }
    }
}
