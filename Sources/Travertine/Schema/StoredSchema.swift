import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything that the schema keyspace holds.
struct StoredSchema: Equatable {
    /// The name of the keyspace.
    static let keyspaceName = "travertine.schema"
    static let formatVersion: UInt32 = 5

    var version: UInt64 = 0
    var nextType: UInt32 = 1
    var types: [StoredObjectType] = []

    func type(named name: String) -> StoredObjectType? { types.first { $0.name == name } }

    /// The properties that link to a type.
    func linkingProperties(to name: String) -> [(type: UInt32, property: UInt32)] {
        types.flatMap { type in
            type.properties.filter {
                $0.backlinks != .absent && ($0.target == name || $0.type == .any)
            }.map { (type.number, $0.number) }
        }
    }

    // MARK: Keys

    static let headerKey: [UInt8] = [0]

    static func typeKey(_ type: UInt32) -> [UInt8] {
        [1] + withUnsafeBytes(of: type.bigEndian, Array.init)
    }

    static func layoutKey(_ type: UInt32, _ layout: UInt16) -> [UInt8] {
        [2] + withUnsafeBytes(of: type.bigEndian, Array.init)
            + withUnsafeBytes(of: layout.bigEndian, Array.init)
    }

    static func floorKey(_ type: UInt32) -> [UInt8] {
        [3] + withUnsafeBytes(of: type.bigEndian, Array.init)
    }

    // MARK: Reading

    /// Reads the schema; nil if none was stored yet.
    static func load(_ access: ReadAccess, keyspace: KeyspaceID) throws -> StoredSchema? {
        let found = try headerKey.withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: keyspace, verified: true)
        }
        guard let found else { return nil }
        var schema = StoredSchema()
        do {
            var reader = ByteReader(found)
            let format = try reader.take(UInt32.self)
            guard format <= formatVersion else {
                throw Realm.Error(
                    .unsupportedFileFormatVersion,
                    "The schema has format \(format); this version of Travertine knows formats up "
                        + "to \(formatVersion). Open it with the version that wrote it, or later.")
            }
            schema.version = try reader.take(UInt64.self)
            schema.nextType = try reader.take(UInt32.self)
            var cursor = access.cursor(in: keyspace)
            var isValid = try [UInt8(1)].withBytes { (key) throws(StoreError) in
                try cursor.seek(atOrAfter: key)
            }
            while isValid {
                let key = cursor.withKey { Array($0) }
                guard key.first == 1 else { break }
                schema.types.append(try StoredObjectType(encoded: try cursor.value(verified: true)))
                isValid = try cursor.next()
            }
        } catch let error {
            throw error is SchemaDamage ? Realm.Error.damagedSchema : error
        }
        return schema
    }

    /// Reads a layout; nil if there is none with this number.
    static func loadLayout(
        _ access: ReadAccess, keyspace: KeyspaceID, type: UInt32, number: UInt16
    ) throws -> Layout? {
        let found = try layoutKey(type, number).withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: keyspace, verified: true)
        }
        guard let found else { return nil }
        do {
            return try Layout(number: number, encoded: found)
        } catch {
            throw Realm.Error.damagedSchema
        }
    }

    /// The least format whose programs understand everything that is stored.
    private var neededFormat: UInt32 {
        let needsThree = types.contains { type in
            type.isAsymmetric || !type.indexes.isEmpty
                || type.properties.contains { $0.isVarying || $0.isRequired }
        }
        let needsFour = types.contains { type in
            type.indexes.contains { $0.kind == .places || $0.kind.tokenizer != nil }
        }
        let needsFive = types.contains { $0.indexes.contains { $0.kind.hasPositions } }
        return needsFive ? 5 : needsFour ? 4 : needsThree ? 3 : 2
    }

    var encodedHeader: [UInt8] {
        var writer = ByteWriter()
        writer.append(neededFormat)
        writer.append(version)
        writer.append(nextType)
        return writer.bytes
    }
}
