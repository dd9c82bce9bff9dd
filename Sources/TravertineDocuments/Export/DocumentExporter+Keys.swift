import Travertine

/// Single objects by their keys, for what shows, compares and follows them.
///
/// The object key is the number that an object has within its type for as long as it is there. It
/// is the same in backups and copies of a store, and all that identifies an object without primary
/// key.
extension DocumentExporter {
    /// The stored name of the primary key; nil without one.
    public var primaryKeyName: String? { type.keySlot.map { type.fields[$0].name } }

    /// The object key of the object with a primary key; nil if there is none, and for a type
    /// without primary key.
    public func objectKey(forPrimaryKey key: AnyBSON) throws -> UInt64? {
        guard let keySlot = type.keySlot else { return nil }
        let found = try key.withKey(type.fields[keySlot].type) { raw in
            try type.key(forPrimaryKey: raw)
        }
        return found ?? nil
    }

    /// The object key of an object of this exporter's type.
    public func objectKey(of object: DynamicObject) -> UInt64 { type.key(of: object) }

    /// The document of the object with an object key; nil if there is none.
    public func document(forObjectKey key: UInt64) throws -> Document? {
        try lookForWaitingLinks()
        return try type.withRow(ofKey: key) { try document(of: $0) }
    }

    /// The object with an object key; nil if there is none.
    public func object(forObjectKey key: UInt64) -> DynamicObject? {
        type.object(ofKey: key) as? DynamicObject
    }

    /// Calls `body` with the object key and the document of each object.
    ///
    /// - Parameters:
    ///   - objects: results of the type of this exporter, in whose order they come; nil for all
    ///     objects, in the order of object keys.
    ///   - body: called with each object.
    /// - Throws: what `body` throws, and errors of reading and encoding.
    public func forEachObject(
        of objects: Results<DynamicObject>? = nil,
        _ body: (_ objectKey: UInt64, _ document: Document) throws -> Void
    ) throws {
        try lookForWaitingLinks()
        try type.forEachRow(in: objects) { try body($0.key, document(of: $0)) }
    }

    /// What identifies an object for people: its primary key, else the number of its object key.
    ///
    /// - Parameters:
    ///   - document: of an exporter of all properties.
    ///   - objectKey: the object key.
    public func identity(of document: Document, _ objectKey: UInt64) -> AnyBSON {
        primaryKeyName.flatMap { document[$0] } ?? .int64(Int64(bitPattern: objectKey))
    }
}
