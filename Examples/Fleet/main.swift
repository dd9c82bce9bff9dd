// Fleet: one vehicle, which writes readings durably. `travertine sync` brings them to PostgreSQL,
// and `travertine ship` keeps a backup; `Examples/Fleet/run` starts three vehicles and all of that.
//
//     fleet REALM VEHICLE COUNT
import Foundation
import Travertine

/// A reading that leaves the vehicle. The key follows from what was measured: a vehicle that was
/// restored to an earlier moment makes the same one again, and the server has it once.
final class Reading: AsymmetricObject {
    @Persisted(primaryKey: true) var id: String
    @Persisted var vehicle: String
    @Persisted var sequence: Int
    @Persisted var celsius: Double
    @Persisted var at: Date

    override static func propertiesMapping() -> [String: String] { ["id": "_id"] }
}

/// How far the vehicle has come: changed together with what it has written.
final class Progress: Object {
    @Persisted(primaryKey: true) var vehicle: String
    @Persisted var last: Int
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: fleet REALM VEHICLE COUNT\n".utf8))
    exit(64)
}
let vehicle = arguments[2]
let realm = try Realm(
    configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: arguments[1], isDirectory: true),
        objectTypes: [Reading.self, Progress.self]))
var progress: Progress
if let known = realm.object(ofType: Progress.self, forPrimaryKey: vehicle) {
    progress = known
} else {
    progress = Progress(value: ["vehicle": vehicle])
    try realm.write { realm.add(progress) }
}

while progress.last < count {
    // Ten readings in a second would be more like a vehicle; this one is in a hurry.
    try realm.write {
        for _ in 0..<min(20, count - progress.last) {
            progress.last += 1
            realm.create(
                Reading.self,
                value: [
                    "id": "\(vehicle)/\(progress.last)", "vehicle": vehicle,
                    "sequence": progress.last, "celsius": Double(progress.last % 400) / 10,
                    "at": Date(timeIntervalSinceReferenceDate: Double(progress.last)),
                ])
        }
    }
    // What the server has need not stay here. `travertine sync` makes the feed; in a restored realm
    // it makes another one.
    if progress.last % 1000 == 0, try realm.hasFeed(named: "postgres") {
        try realm.outbox.acknowledge(shownBy: "postgres")
    }
    Thread.sleep(forTimeInterval: 0.005)
}
print("\(vehicle): \(progress.last) readings")
