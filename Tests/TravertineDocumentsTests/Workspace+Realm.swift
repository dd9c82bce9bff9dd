import Foundation
import RealmSwift
import Testing

/// A directory of a test's own; gone when the test is over.
final class Workspace {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "travertine-documents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            Issue.record("\(error)")
        }
    }

    /// A realm of classes in the directory.
    func realm(
        _ name: String, _ classes: [ObjectBase.Type], version: UInt64 = 0
    ) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.appending(path: name), schemaVersion: version,
                objectTypes: classes, durability: .unsynced))
    }
}
