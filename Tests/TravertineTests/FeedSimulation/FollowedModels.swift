import RealmSwift

/// Three versions of classes, with the same names.
enum FollowedModels {
    static func types(version: Int) -> [ObjectBase.Type] {
        switch version {
        case 0:
            [
                FollowedShipV0.self, FollowedPortV0.self, FollowedNoteV0.self,
                FollowedReportV0.self, FollowedCrew.self,
            ]
        case 1:
            [
                FollowedShipV1.self, FollowedPortV1.self, FollowedNoteV0.self,
                FollowedReportV1.self, FollowedCrew.self,
            ]
        default:
            [
                FollowedShipV2.self, FollowedPortV2.self, FollowedReportV1.self,
                FollowedCrew.self,
            ]
        }
    }

    /// From each version to the next one: a property that is renamed, others that are new, and a
    /// primary key that is new; then a primary key of another type, one that is none any more, a
    /// new default, and a class that is removed.
    static let migrations: [MigrationVersion] = [
        MigrationVersion(1, .rename("Ship", from: "captain", to: "master")),
        MigrationVersion(
            2, .map("Ship", "id") { (id: Int) in "s\(id)" }, .delete("Note")),
    ]
}

class FollowedShip: MigratedModel {
    override class func objectTypeName() -> String { "Ship" }
}

class FollowedPort: MigratedModel {
    override class func objectTypeName() -> String { "Port" }
}

class FollowedCrew: MigratedPart {
    @Persisted var name: String
    @Persisted var ages: List<Int>
    override class func objectTypeName() -> String { "Crew" }
}

class FollowedShipV0: FollowedShip {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var captain: String
    @Persisted var port: FollowedPortV0?
    @Persisted var stops: List<FollowedPortV0>
    @Persisted var crew: FollowedCrew?
}

/// Has no primary key: links to it have its object key.
class FollowedPortV0: FollowedPort {
    @Persisted var name: String
    @Persisted var flagship: FollowedShipV0?
}

/// Is not there in the last version.
class FollowedNoteV0: MigratedModel {
    @Persisted var text: String
    override class func objectTypeName() -> String { "Note" }
}

class FollowedReport: AsymmetricObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "Report" }
}

class FollowedReportV0: FollowedReport {
    @Persisted var number: Int
}

class FollowedShipV1: FollowedShip {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var master: String
    @Persisted var port: FollowedPortV1?
    @Persisted var stops: List<FollowedPortV1>
    @Persisted var crew: FollowedCrew?
    @Persisted var load: Double?
    @Persisted var flags: MutableSet<String>
}

class FollowedPortV1: FollowedPort {
    @Persisted(primaryKey: true) var name: String
    @Persisted var flagship: FollowedShipV1?
    @Persisted var isOpen = true
}

class FollowedReportV1: FollowedReport {
    @Persisted var number: Int
    @Persisted var place = "sea"
}

class FollowedShipV2: FollowedShip {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var master: String
    @Persisted var port: FollowedPortV2?
    @Persisted var stops: List<FollowedPortV2>
    @Persisted var crew: FollowedCrew?
    @Persisted var load: Double?
    @Persisted var flags: MutableSet<String>
}

class FollowedPortV2: FollowedPort {
    @Persisted(indexed: true) var name: String
    @Persisted var flagship: FollowedShipV2?
    @Persisted var isOpen = true
    @Persisted var depth = 7
}
