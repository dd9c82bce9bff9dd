import TravertineStore

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

/// A property as the record of its type has it.
extension StoredProperty {
    func write(to writer: inout ByteWriter) {
        writer.append(number)
        writer.append(name)
        writer.append(UInt8(type.rawValue))
        writer.append(collection.rawValue)
        writer.append(
            (isOptional ? 1 : 0) | (isPrimaryKey ? 2 : 0) | (isIndexed ? 4 : 0)
                | (isOwning ? 8 : 0) | UInt16(deleteRule.rawValue) << 4
                | (isVarying ? 64 : 0) | (isRequired ? 128 : 0) as UInt16)
        writer.append(target)
        writer.append(index)
        writer.append(backlinks)
        defaultValue.write(to: &writer)
    }

    init(_ reader: inout ByteReader) throws(SchemaDamage) {
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

extension StoredProperty {
    /// Whether it may link to objects of a type.
    func leads(to name: String) -> Bool { type == .any || target == name }
}
