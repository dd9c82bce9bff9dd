import RealmSwift
import TestSupport
import TravertineDocuments

extension Workspace {
    /// A realm of classes in the directory.
    func realm(
        _ name: String, _ classes: [ObjectBase.Type], version: UInt64 = 0
    ) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: url(name), schemaVersion: version, objectTypes: classes,
                durability: .unsynced))
    }
}

extension Realm {
    /// Imports documents of Extended JSON as objects of a type, in a separate transaction.
    func insertDocuments(_ type: String, _ documents: String...) throws {
        let importer = try DocumentImporter(self, type: type)
        try write {
            for text in documents { try importer.insert(Document(extendedJSON: text)) }
        }
    }

    /// All objects of a type as lines of relaxed Extended JSON.
    func documents(_ type: String) throws -> [String] {
        var bytes: [UInt8] = []
        try DocumentExporter(self, type: type).export(as: .extendedJSON(.relaxed)) { piece, _ in
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
