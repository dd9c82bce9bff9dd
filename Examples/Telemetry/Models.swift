import Foundation
import Travertine

/// Where a reading was taken: a part of it.
final class Station: EmbeddedObject {
    @Persisted var name: String
    @Persisted var altitude: Double
}

/// A reading that goes to a server: written once, never looked at again by the app.
final class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var sensor: String
    @Persisted var takenAt: Date
    @Persisted var celsius: Double
    @Persisted var station: Station?

    override static func propertiesMapping() -> [String: String] {
        ["id": "_id", "takenAt": "taken_at"]
    }
}
