import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Appending to large lists one element at a time: elements wait to be stored together, and nothing
/// that looks at the list, its object or what links to an element may miss them.
@Suite("Appending one at a time")
struct ListAppendingTests {
    private let directory = TemporaryDirectory()

    @Test(
        "random changes of two lists, with appends among them, give what arrays give",
        arguments: [11, 12, 13, 14] as [UInt64])
    func randomHistory(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        do {
            let realm = try directory.open([AppendedTo.self])
            let objects = (0..<2).map { AppendedTo(value: ["id": $0]) }
            var models = [[String]](repeating: [], count: 2)
            var links = [[Int]](repeating: [], count: 2)
            try realm.write {
                realm.add(objects)
                for place in 0..<2 {
                    models[place] = (0..<400).map { "\(place) and \($0)" }
                    objects[place].texts.append(objectsIn: models[place])
                    links[place] = (0..<400).map { $0 % 2 }
                    objects[place].others.append(objectsIn: links[place].map { objects[$0] })
                }
            }
            for round in 0..<30 {
                let before = (models, links)
                do {
                    try realm.write {
                        for _ in 0..<random.below(80) {
                            let place = random.below(2)
                            Self.change(objects, place, &models[place], &links[place], &random)
                            if random.chance(5) {
                                try Self.savepoint(realm, objects, &models, &links, &random)
                            }
                        }
                        if random.chance(50) { Self.check(objects, models, links, seed, round) }
                        if random.chance(20) { throw Stop() }
                    }
                } catch is Stop {
                    (models, links) = before
                }
                Self.check(objects, models, links, seed, round)
            }
            #expect(try realm.brokenInvariants() == [], "seed \(seed)")
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "seed \(seed): \(report)")
    }

    private static func savepoint(
        _ realm: Realm, _ objects: [AppendedTo], _ models: inout [[String]],
        _ links: inout [[Int]], _ random: inout SeededRandom
    ) throws {
        let before = (models, links)
        let fails = random.chance(50)
        do {
            try realm.savepoint {
                for _ in 0..<random.below(5) {
                    let place = random.below(2)
                    change(objects, place, &models[place], &links[place], &random)
                }
                if fails { throw Stop() }
            }
        } catch is Stop {
            (models, links) = before
        }
    }

    private static func change(
        _ objects: [AppendedTo], _ place: Int, _ model: inout [String], _ links: inout [Int],
        _ random: inout SeededRandom
    ) {
        let (texts, others) = (objects[place].texts, objects[place].others)
        switch random.below(16) {
        case 0..<5:
            for _ in 0..<random.below(30) {
                let text = random.text()
                texts.append(text)
                model.append(text)
            }
        case 5..<8:
            for _ in 0..<random.below(30) {
                let other = random.below(2)
                others.append(objects[other])
                links.append(other)
            }
        case 8:
            #expect(texts.count == model.count && texts.last == model.last)
        case 9:
            objects[place].name = random.text()
        case 10 where !model.isEmpty:
            let (first, second) = (random.below(model.count), random.below(model.count))
            texts.swapAt(first, second)
            model.swapAt(first, second)
        case 11 where !model.isEmpty:
            let (position, text) = (random.below(model.count), random.text())
            texts[position] = text
            model[position] = text
        case 12:
            texts.reverse()
            model.reverse()
        case 13 where !links.isEmpty:
            let position = random.below(links.count)
            let other = random.below(2)
            others[position] = objects[other]
            links[position] = other
        case 14 where !model.isEmpty:
            let position = random.below(model.count)
            texts.remove(at: position)
            model.remove(at: position)
        default:
            let wanted = random.below(2)
            let count = objects[wanted].owners.filter { $0.id == objects[place].id }.count
            #expect(count == links.filter { $0 == wanted }.count)
        }
    }

    private static func check(
        _ objects: [AppendedTo], _ models: [[String]], _ links: [[Int]], _ seed: UInt64,
        _ round: Int
    ) {
        for place in 0..<2 {
            #expect(Array(objects[place].texts) == models[place], "seed \(seed), round \(round)")
            #expect(
                objects[place].others.map(\.id) == links[place], "seed \(seed), round \(round)")
        }
    }

    @Test("elements that wait are there for whatever looks at them")
    func whatLooks() throws {
        let realm = try directory.open([AppendedTo.self])
        let object = AppendedTo(value: ["id": 1])
        try realm.write {
            realm.add(object)
            object.texts.append(objectsIn: (0..<500).map { "text \($0)" })
        }
        let objects = realm.objects(AppendedTo.self)
        func appending(_ body: () throws -> Void) throws {
            try realm.write {
                object.texts.append("new")
                try body()
                object.texts.removeLast()
            }
        }
        try appending { #expect(object.texts.last == "new") }
        try appending { #expect(object.texts[500] == "new" && object.texts.count == 501) }
        try appending { #expect(object.texts.index(of: "new") == 500) }
        try appending { #expect(object.texts.contains("new")) }
        try appending { #expect(objects.where { $0.texts.contains("new") }.count == 1) }
        try appending { #expect(objects.where { $0.texts.count == 501 }.count == 1) }
        try appending { #expect(object.texts.where { $0 == "new" }.count == 1) }
        try appending { #expect(object.detached().texts.last == "new") }
        try appending { #expect(object.texts.sorted().contains("new")) }
        try appending {
            object.name = "named"
            #expect(object.texts.last == "new")
        }
        #expect(object.name == "named" && object.texts.count == 500)
        try realm.write {
            object.texts.append("lost")
            realm.delete(object)
        }
        #expect(objects.isEmpty && object.isInvalidated)
    }

    @Test("an append reads and stores what many of them share")
    func cost() throws {
        let realm = try directory.open([AppendedTo.self])
        let object = AppendedTo(value: ["id": 1])
        try realm.write {
            realm.add(object)
            object.texts.append(objectsIn: (0..<1000).map { "text \($0)" })
            let (texts, session) = (object.texts, realm.session)
            #if DEBUG
                session.visits = (0, 0, 0, 0)
            #endif
            for number in 1000..<21_000 { texts.append("text \(number)") }
            for _ in 0..<20_000 { object.others.append(object) }
            #if DEBUG
                #expect(
                    session.visits.nodes < 1000 && session.visits.rows < 1000, "\(session.visits)")
                session.visits = (0, 0, 0, 0)
            #endif
            texts.reverse()
            #expect(texts.first == "text 20999" && texts.last == "text 0")
            #expect(texts.index(of: "text 0") == 20_999)
            #if DEBUG
                #expect(
                    session.visits.nodes < 1000 && session.visits.rows < 100, "\(session.visits)")
                session.visits = (0, 0, 0, 0)
            #endif
            // An element that is replaced leaves the row and the counts above its leaf alone.
            for position in stride(from: 0, to: 20_000, by: 100) { texts[position] = "changed" }
            #if DEBUG
                #expect(session.visits.nodes <= 200 * 5, "\(session.visits)")
            #endif
        }
        #expect(object.texts.count == 21_000 && object.others.count == 20_000)
        #expect(object.texts[19_900] == "changed" && object.texts[19_901] == "text 1098")
    }
}

class AppendedTo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var texts: List<String>
    @Persisted var others: List<AppendedTo>
    @Persisted(originProperty: "others") var owners: LinkingObjects<AppendedTo>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
