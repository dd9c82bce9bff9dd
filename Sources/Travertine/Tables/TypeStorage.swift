import TravertineStore

/// What of a store belongs to an object type: its objects, and the keyspaces of their rows, indexes
/// and links.
///
/// `Realm.typeStorage()` gives it for every stored type. With the names of the keyspaces the bytes
/// of a type can be measured, by a cursor of `Store` or `StoreReader`.
public struct TypeStorage: Sendable, Hashable {
    /// A keyspace of a type.
    public struct Part: Sendable, Hashable {
        /// What a keyspace of a type holds.
        public enum Role: String, Sendable, CaseIterable {
            /// The objects.
            case rows
            /// The nodes of collections that are too large for a row.
            case pieces
            /// Objects by primary key.
            case primaryKey
            /// Objects by the values of properties.
            case index
            /// Objects by values of properties that no two of them share.
            case uniqueIndex
            /// Objects by the words or other parts of a text.
            case fullText
            /// Objects by the places that a property has.
            case places
            /// Links by their target.
            case backlinks
        }

        /// What it holds.
        public let role: Role
        /// Its name. `Store.keyspaces` and `StoreReader.keyspaces` have those of rows and pieces;
        /// what else there is, is derived from these, and has no bytes beside the index.
        public let keyspace: String
        /// How many rows, nodes, entries or links it has.
        public let entryCount: Int
        /// The stored names of the properties whose values it is about, in the order of the index.
        public let properties: [String]
    }

    /// The stored name of the type.
    public let typeName: String
    /// Whether the objects belong to others.
    public let isEmbedded: Bool
    /// Whether the objects are only written, and wait for a consumer: they are not counted.
    public let isAsymmetric: Bool
    /// How many objects there are.
    public let objectCount: Int
    /// The keyspaces, rows first.
    public let parts: [Part]
}

extension Realm {
    /// What of the store belongs to each stored type, by name, as of the version that the realm
    /// shows.
    ///
    /// Counts are those that the store keeps: nothing is scanned.
    ///
    /// - Throws: `StoreError` with code `.damaged` where the definition of a keyspace is damaged.
    public func typeStorage() throws -> [TypeStorage] {
        let session = session.here
        let access = try session.access
        let definitions = try access.keyspaceDefinitions(file: session.shared.fileURL.path)
        let names = Dictionary(definitions.map { ($0.id, $0.name) }) { first, _ in first }
        return session.schema.types.sorted { $0.name < $1.name }.map { type in
            TypeStorage(
                typeName: type.name, isEmbedded: type.isEmbedded,
                isAsymmetric: type.isAsymmetric, objectCount: access.count(in: type.rows),
                parts: type.storageParts.compactMap { part in
                    names[part.keyspace].map {
                        TypeStorage.Part(
                            role: part.role, keyspace: $0,
                            entryCount: access.count(in: part.keyspace),
                            properties: part.properties)
                    }
                })
        }
    }
}

extension StoredObjectType {
    fileprivate typealias StoragePart = (
        role: TypeStorage.Part.Role, keyspace: KeyspaceID, properties: [String]
    )

    /// The keyspaces of the type and what they hold.
    fileprivate var storageParts: [StoragePart] {
        var parts: [StoragePart] = [
            (.rows, rows, []), (.pieces, pieces, []),
            (.primaryKey, keyIndex, primaryKey.map { [$0.name] } ?? []),
        ]
        parts += properties.map { (.index, $0.index, [$0.name]) }
        parts += indexes.map { index in
            let names = index.properties.compactMap { number in
                properties.first { $0.number == number }?.name
            }
            return (index.kind.role, index.keyspace, names)
        }
        parts += properties.map { (.backlinks, $0.backlinks, [$0.name]) }
        return parts.filter { $0.keyspace != .absent }
    }
}

extension StoredIndex.Kind {
    fileprivate var role: TypeStorage.Part.Role {
        switch self {
        case .values: .index
        case .uniqueValues: .uniqueIndex
        case .places: .places
        case .oldWords, .countedWords, .trigrams, .countedCodePoints, .words, .codePoints: .fullText
        }
    }
}
