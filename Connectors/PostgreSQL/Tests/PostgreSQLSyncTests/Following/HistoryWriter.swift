import Foundation
import PostgreSQLServer
import Travertine

/// Writes random transactions to a realm, by the stored names of its types.
struct HistoryWriter {
    var random: SeededRandom
    /// How many asymmetric objects there were.
    private(set) var readingCount = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A transaction of some changes.
    mutating func write(_ realm: Realm) throws {
        try realm.write {
            for _ in 0...random.below(6) { change(realm) }
        }
    }

    private mutating func change(_ realm: Realm) {
        switch random.below(20) {
        case 0..<4: putPerson(realm)
        case 4..<7: putBox(realm)
        case 7..<9: putTicket(realm)
        case 9..<11: putLoose(realm)
        case 11:
            readingCount += 1
            realm.create(
                HistoryModels.Reading.self,
                value: ["number": readingCount, "parts": Array(0..<random.below(3))])
        case 12: replacePerson(realm)
        case 13: replaceBox(realm)
        case 14..<17: deleteOne(realm)
        case 17: changeHome(realm)
        case 18: makeLong(realm)
        default: if random.chance(10) { realm.deleteAll() }
        }
    }

    private mutating func home() -> [String: Any] {
        ["street": random.text(), "rooms": (0..<random.below(4)).map { $0 }]
    }

    private mutating func pick(_ type: String, in realm: Realm) -> DynamicObject? {
        let all = realm.dynamicObjects(type)
        return all.isEmpty ? nil : all[random.below(all.count)]
    }

    private mutating func putPerson(_ realm: Realm) {
        var value: [String: Any] = [
            "id": random.below(40) - 20, "name": random.text(),
            "marks": (0..<random.below(5)).map { $0 },
        ]
        if random.chance(50) { value["home"] = home() }
        if random.chance(10) { value["home"] = NSNull() }
        if let friend = pick("Person", in: realm), random.chance(40) { value["friend"] = friend }
        if let box = pick("Box", in: realm), random.chance(40) { value["box"] = box }
        if random.chance(30) { value["anything"] = [1, ["a": random.text()]] as [Any] }
        realm.dynamicCreate("Person", value: value, update: .modified)
    }

    private mutating func putBox(_ realm: Realm) {
        realm.dynamicCreate(
            "Box",
            value: [
                "code": ["a", "b", "it's", "\"q\\", "é"][random.below(5)], "weight": 0.1,
                "labels": [random.text(), "x"], "named": [random.text(): random.below(9)],
            ] as [String: Any], update: .modified)
    }

    private mutating func putTicket(_ realm: Realm) {
        var value: [String: Any] = [
            "notes": [random.text(), "n"], "places": (0..<random.below(3)).map { _ in home() },
        ]
        value["code"] = random.chance(70) ? ["A", "B", "C"][random.below(3)] : NSNull()
        realm.dynamicCreate("Ticket", value: value, update: .modified)
    }

    private mutating func putLoose(_ realm: Realm) {
        if let loose = pick("Loose", in: realm), random.chance(50) {
            loose["number"] = random.below(1000)
            return
        }
        var value: [String: Any] = ["number": random.below(1000)]
        if let box = pick("Box", in: realm) { value["boxes"] = [box, box] }
        realm.dynamicCreate("Loose", value: value)
    }

    /// Another object under the same primary key, an integer.
    private mutating func replacePerson(_ realm: Realm) {
        guard let person = pick("Person", in: realm), let id = person["id"] as? Int else { return }
        realm.delete(person)
        realm.dynamicCreate("Person", value: ["id": id, "name": "again"] as [String: Any])
    }

    /// Another object under the same primary key, a text.
    private mutating func replaceBox(_ realm: Realm) {
        guard let box = pick("Box", in: realm), let code = box["code"] as? String else { return }
        realm.delete(box)
        realm.dynamicCreate("Box", value: ["code": code, "weight": 7.5] as [String: Any])
    }

    private mutating func deleteOne(_ realm: Realm) {
        let type = ["Person", "Box", "Ticket", "Loose"][random.below(4)]
        if let object = pick(type, in: realm) { realm.delete(object) }
    }

    private mutating func changeHome(_ realm: Realm) {
        guard let person = pick("Person", in: realm) else { return }
        (person["home"] as? DynamicObject)?["street"] = random.text()
    }

    /// A list that is stored in several pieces.
    private mutating func makeLong(_ realm: Realm) {
        guard let person = pick("Person", in: realm), let id = person["id"] as? Int else { return }
        let marks = (0..<(100 + random.below(400))).map { $0 * 1_000_003 }
        realm.dynamicCreate(
            "Person", value: ["id": id, "marks": marks] as [String: Any], update: .modified)
    }
}
