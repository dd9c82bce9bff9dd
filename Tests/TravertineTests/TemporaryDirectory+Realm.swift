import Foundation
import RealmSwift
import TestSupport

extension TemporaryDirectory {
    /// Where the test's realm is; its first opening creates it.
    var url: URL { URL(filePath: path("realm"), directoryHint: .notDirectory) }

    /// Opens the test's realm.
    func open(_ types: [ObjectBase.Type], version: UInt64 = 0) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: url, schemaVersion: version, objectTypes: types,
                durability: .unsynced))
    }
}
