import RealmSwift
import TestSupport

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
