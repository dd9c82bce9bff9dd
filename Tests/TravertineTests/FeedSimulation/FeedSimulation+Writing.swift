import RealmSwift
import TestSupport

@testable import Travertine

extension FeedSimulation {
    /// Commits a transaction of a few random changes.
    func write(_ realm: Realm) throws {
        let first = nextNumber
        try realm.write {
            for _ in 0..<1 + random.below(8) { try change(realm) }
        }
        let lsn = try realm.store.snapshot().lsn
        reports += (first..<nextNumber).map { Report(number: $0, lsn: lsn) }
    }

    private func nextPortName() -> String {
        portCount += 1
        return "port \(portCount)"
    }

    private func change(_ realm: Realm) throws {
        let name = "n\(random.below(1000))"
        let ports = realm.dynamicObjects("Port")
        let id: Any = version < 2 ? random.below(20) : "s\(random.below(20))"
        switch random.below(12) {
        case 0, 1:
            try realm.insert(asymmetric: "Report", value: ["number": nextNumber])
            nextNumber += 1
        case 2: realm.dynamicCreate("Port", value: ["name": nextPortName()])
        case 3:
            if !ports.isEmpty { realm.delete(ports[random.below(ports.count)]) }
        case 4:
            if let ship = realm.dynamicObject(ofType: "Ship", forPrimaryKey: id) {
                realm.delete(ship)
            }
        case 5 where version < 2: realm.dynamicCreate("Note", value: ["text": name])
        case 6 where version != 1:
            // It becomes the primary key.
            if !ports.isEmpty { ports[random.below(ports.count)]["name"] = nextPortName() }
        default:
            var value: [String: Any] = ["id": id, version == 0 ? "captain" : "master": name]
            if version > 0, random.chance(50) {
                value["load"] = Double(random.below(9))
                value["flags"] = [name, "flag"]
            }
            if random.chance(40) {
                value["crew"] = ["name": name, "ages": [random.below(9)]]
            }
            let ship = realm.dynamicCreate("Ship", value: value, update: .modified)
            if !ports.isEmpty, random.chance(50) {
                ship["port"] = ports[random.below(ports.count)]
                ship.dynamicList("stops").append(ports[random.below(ports.count)])
                ports[random.below(ports.count)]["flagship"] = ship
            }
        }
    }
}
