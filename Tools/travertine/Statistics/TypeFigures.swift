import Travertine
import TravertineStore

/// What `stat` shows of an object type.
struct TypeFigures: Encodable {
    /// An index, and how many entries it has.
    struct Index: Encodable {
        /// What finds objects: primaryKey, index, uniqueIndex, fullText or places.
        let kind: String
        let properties: [String]
        let entryCount: Int
    }

    let name: String
    let isEmbedded: Bool
    let isAsymmetric: Bool
    let objectCount: Int
    /// The bytes of keys and values of its rows and large collections; nil if they are not
    /// measured.
    let byteCount: Int?
    let indexes: [Index]
    /// How many links its properties have, as the store counts them for their targets.
    let linkCount: Int

    /// - Parameters:
    ///   - snapshot: the version that is measured.
    ///   - keyspaces: those of the store.
    ///   - isMeasured: whether the bytes are to be counted, which reads every row.
    ///   - step: called with how many rows were read.
    init(
        _ storage: TypeStorage, _ snapshot: Snapshot, _ keyspaces: [String: Keyspace],
        isMeasured: Bool, step: (Int) -> Void
    ) throws {
        name = storage.typeName
        isEmbedded = storage.isEmbedded
        isAsymmetric = storage.isAsymmetric
        objectCount = storage.objectCount
        var byteCount = 0
        var indexes: [Index] = []
        var linkCount = 0
        for part in storage.parts {
            switch part.role {
            case .rows, .pieces:
                guard isMeasured, let keyspace = keyspaces[part.keyspace] else { continue }
                byteCount += try Self.bytes(of: keyspace, snapshot, step)
            case .backlinks: linkCount += part.entryCount
            case .primaryKey, .index, .uniqueIndex, .fullText, .places:
                indexes.append(
                    Index(
                        kind: part.role.rawValue, properties: part.properties,
                        entryCount: part.entryCount))
            }
        }
        self.byteCount = isMeasured ? byteCount : nil
        self.indexes = indexes
        self.linkCount = linkCount
    }

    private static func bytes(
        of keyspace: Keyspace, _ snapshot: Snapshot, _ step: (Int) -> Void
    ) throws -> Int {
        let cursor = try snapshot.cursor(in: keyspace)
        var count = 0
        var rows = 0
        var isValid = try cursor.seekToFirst()
        while isValid {
            count += cursor.withKey { $0.byteCount }
            count += try cursor.withValue { $0.byteCount }
            rows += 1
            if rows % 4096 == 0 { step(4096) }
            isValid = try cursor.next()
        }
        return count
    }

    // MARK: For people

    /// The types as a table.
    static func table(_ types: [TypeFigures]) -> [String] {
        var table = TextTable(
            ["type", "objects", "bytes", "links", "indexes"], leftColumns: [0, 4])
        for type in types {
            table.add([
                ByteText.shown(Array(type.name.utf8), isHex: false)
                    + (type.isEmbedded ? " (embedded)" : type.isAsymmetric ? " (asymmetric)" : ""),
                type.isAsymmetric ? "–" : Figures.count(type.objectCount),
                type.byteCount.map { Figures.bytes($0) } ?? "–",
                Figures.count(type.linkCount),
                type.indexes.map(\.text).joined(separator: ", "),
            ])
        }
        return table.lines
    }
}

extension TypeFigures.Index {
    /// The index for people: the names of its properties, and its kind.
    var text: String {
        let names = properties.joined(separator: "+")
        return switch kind {
        case "primaryKey": "\(names) (primary key)"
        case "uniqueIndex": "\(names) (unique)"
        case "fullText": "\(names) (words)"
        case "places": "\(names) (places)"
        default: names
        }
    }
}
