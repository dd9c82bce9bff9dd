import Foundation
import Testing
import Travertine

/// A directory that is removed with the value, for the realm of a snippet.
final class SnippetDirectory: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "travertine-snippet-\(UUID().uuidString)")
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record("the temporary directory could not be removed: \(error)")
        }
    }

    /// A realm of some classes, which need not outlive a power cut.
    func open(_ types: [ObjectBase.Type], schemaVersion: UInt64 = 0) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: url, schemaVersion: schemaVersion, objectTypes: types,
                durability: .unsynced))
    }
}

struct OutOfMoney: Error {}
