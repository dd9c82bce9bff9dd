import Foundation
import Measurement
import Travertine
import TravertineStore

/// `Person` with one more property.
final class PersonWithNickname: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var created: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted var friend: PersonWithNickname?
    @Persisted var nickname: String = "none"

    override class func objectTypeName() -> String { "Person" }
}

/// That without `score`.
final class PersonWithoutScore: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var created: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted var friend: PersonWithoutScore?
    @Persisted var nickname: String = "none"

    override class func objectTypeName() -> String { "Person" }
}

/// That with `age` under another name.
final class PersonWithYears: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var years: Int
    @Persisted var created: Date
    @Persisted var active: Bool
    @Persisted var email: String?
    @Persisted var friend: PersonWithYears?
    @Persisted var nickname: String = "none"

    override class func objectTypeName() -> String { "Person" }
}

extension TravertineObjectEngine {
    static func change(
        _ change: SchemaChange, directory: String
    ) throws -> (seconds: Double, value: String) {
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(filePath: directory + "/objects.realm")
        configuration.durability = Realm.Durability.unsynced
        switch change {
        case .adding:
            configuration.objectTypes = [PersonWithNickname.self]
            configuration.schemaVersion = 1
        case .removing:
            configuration.objectTypes = [PersonWithoutScore.self]
            configuration.schemaVersion = 2
        case .renaming:
            configuration.objectTypes = [PersonWithYears.self]
            configuration.schemaVersion = 3
            configuration.migrationBlock = { migration, _ in
                migration.renameProperty(onType: "Person", from: "age", to: "years")
            }
        }
        let watch = Stopwatch()
        let realm = try Realm(configuration: configuration)
        let seconds = watch.seconds
        let value: String?
        switch change {
        case .adding:
            value = realm.object(ofType: PersonWithNickname.self, forPrimaryKey: 0)?.nickname
        case .removing:
            value = realm.object(ofType: PersonWithoutScore.self, forPrimaryKey: 0)
                .map { String($0.age) }
        case .renaming:
            value = realm.object(ofType: PersonWithYears.self, forPrimaryKey: 0)
                .map { String($0.years) }
        }
        realm.invalidate()
        try realm.store.close()
        return (seconds, value ?? "nothing")
    }
}
