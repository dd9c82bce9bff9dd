import Foundation
import Travertine

/// Changes a realm at random, and prints a line after each durable commit, until it is killed.
///
///   sync-writer REALM SEED
@main
struct SyncWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            FileHandle.standardError.write(Data("usage: sync-writer REALM SEED\n".utf8))
            exit(64)
        }
        var random = Seeded(state: seed)
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[1], isDirectory: true),
                objectTypes: [Ship.self, Port.self, Berth.self, Position.self, Log.self]))
        while true {
            try realm.write {
                for _ in 0..<Int.random(in: 1...20, using: &random) {
                    change(realm, &random)
                }
            }
            FileHandle.standardOutput.write(Data("committed\n".utf8))
        }
    }

    private static func change(_ realm: Realm, _ random: inout Seeded) {
        let number = Int.random(in: 0..<200, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            if let ship = realm.object(ofType: Ship.self, forPrimaryKey: number) {
                realm.delete(ship)
            }
        case 1:
            if let port = realm.object(ofType: Port.self, forPrimaryKey: "port \(number % 50)") {
                realm.delete(port)
            }
        case 2, 3:
            realm.create(
                Log.self,
                value: ["id": UUID(), "text": "log '\(number)'\t\\ \(UInt8(number & 127 | 32))"])
        case 4:
            let berth = Berth(value: ["name": "berth \(number)"])
            realm.add(berth)
        case 5:
            let berths = realm.objects(Berth.self)
            if berths.count > 100 { realm.delete(berths[number % berths.count]) }
        case 6:
            // Deleted and added again under the same primary key.
            let code = "port \(number % 50)"
            if let port = realm.object(ofType: Port.self, forPrimaryKey: code) {
                realm.delete(port)
            }
            realm.add(Port(value: ["code": code, "depth": Double(number) / 3]))
        default:
            let port = realm.create(
                Port.self, value: ["code": "port \(number % 50)"], update: .modified)
            let ship = realm.create(
                Ship.self, value: ["number": number, "name": "ship \(number)"], update: .modified)
            ship.home = number % 3 == 0 ? nil : port
            ship.at = Date(timeIntervalSinceReferenceDate: Double(number) * 1000.25)
            ship.stops.append(port)
            if ship.stops.count > 6 { ship.stops.removeAll() }
            ship.position = Position(value: ["x": Double(number), "y": -0.5])
            ship.notes["last"] = "\(number)"
        }
    }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

private class Ship: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String
    @Persisted var home: Port?
    @Persisted var at: Date?
    @Persisted var stops: List<Port>
    @Persisted var position: Position?
    @Persisted var notes: Map<String, String>
}

private class Port: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var depth: Double
}

/// Without primary key.
private class Berth: Object {
    @Persisted var name: String
}

private class Position: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
}

private class Log: AsymmetricObject {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var text: String
}
