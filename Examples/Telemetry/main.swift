// Telemetry: readings are written durably, sent in order, and kept until the server has them.
//
//     swift run --package-path Examples Telemetry
import Foundation
import Travertine

let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("travertine-telemetry-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

func open() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            fileURL: directory.appendingPathComponent("readings.realm"),
            objectTypes: [Reading.self, Station.self]))
}

let start = Date(timeIntervalSince1970: 1_700_000_000)
let uplink = Uplink()
var written = 0
var failures = 0
for hour in 0..<6 {
    // Each hour in an app that starts anew: what was not acknowledged is still there.
    let realm = try open()
    for minute in 0..<60 {
        // One transaction for the readings of a minute.
        try realm.write {
            for sensor in 0..<10 {
                let seconds = Double(hour * 3600 + minute * 60)
                realm.create(
                    Reading.self,
                    value: [
                        "id": ObjectId.generate(), "sensor": "s\(sensor)",
                        "takenAt": start + seconds, "celsius": 15 + sin(seconds / 4000) * 8,
                        "station": ["name": "quarry", "altitude": 412.5],
                    ])
                written += 1
            }
        }
    }
    do {
        try uplink.flush(realm)
    } catch is Uplink.Unreachable {
        failures += 1
    }
}
// In the end the server answers.
let realm = try open()
while !(try realm.outbox.read(limit: 1)).isEmpty {
    do {
        try uplink.flush(realm)
    } catch is Uplink.Unreachable {
        failures += 1
    }
}

print("\(written) readings written, \(uplink.received.count) received")
print("\(failures) failures, after which \(uplink.repeatedCount) readings came again")
if let first = uplink.received.min(by: { $0.key < $1.key }) {
    print("the first, number \(first.key):")
    for field in first.value.fields where field.name != "_id" {
        print("  \(field.name): \(field.value)")
    }
}
precondition(uplink.received.count == written, "a reading is missing")
precondition(uplink.received.keys.sorted() == Array(1...UInt64(written)), "a number is missing")
