import Foundation
import Locks
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Indexes")
struct IndexTests {
    @Test(
        "after random histories they hold exactly what the rows say",
        arguments: [11, 12, 13] as [UInt64])
    func exactAfterHistory(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        for round in 0..<12 {
            let realm = try directory.open([Member.self])
            for _ in 0..<4 {
                do {
                    try realm.write {
                        for _ in 0..<random.below(15) { Self.change(realm, &random) }
                        if random.chance(20) { throw Stop() }
                    }
                } catch is Stop {
                } catch let error as Realm.Error where error.code == .uniqueViolation {}
            }
            #expect(
                try realm.brokenInvariants() == [],
                "seed \(seed), round \(round)")
            if round % 4 == 3 { try realm.store.compact() }
            if round % 5 == 4 {
                // What a crash now leaves, the newest checkpoint being older than the log.
                let crashed = TemporaryDirectory()
                try FileManager.default.copyItem(at: directory.url, to: crashed.url)
                let recovered = try crashed.open([Member.self])
                #expect(
                    try DerivedTests.dump(recovered) == DerivedTests.dump(realm),
                    "seed \(seed), round \(round)")
            }
        }
    }

    private static func change(_ realm: Realm, _ random: inout SeededRandom) {
        let members = realm.objects(Member.self)
        let member = members.isEmpty ? nil : members[random.below(members.count)]
        switch random.below(11) {
        case 0: if let member { realm.delete(member) }
        case 10:
            guard let member else { return }
            let other = members[random.below(members.count)]
            (member.email, other.email) = (other.email, member.email)
        case 1: member?.last = random.text()
        case 2: member?.notes = random.chance(20) ? nil : random.text()
        case 3: member?.email = random.chance(50) ? nil : "\(random.below(60))"
        case 4: member?.anything = random.chance(30) ? .int(random.below(4)) : .string("x")
        case 5: if let member { member.anything = .object(member) }
        case 6: member?.bytes = Data(random.text().utf8)
        case 7:
            realm.dynamicCreate(
                "Member", value: ["id": random.below(40), "last": random.text()],
                update: .modified)
        case 8 where random.chance(5): realm.deleteAll()
        default:
            let id = random.below(40)
            realm.add(
                Member(
                    value: [
                        "id": id, "last": random.text(), "notes": random.text(), "age": id % 3,
                    ]), update: .all)
        }
    }

    @Test("an index that is declared later is built, with progress, at the same schema version")
    func addedLater() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PlainMember.self])
            try realm.write {
                for id in 0..<3000 {
                    realm.add(
                        PlainMember(value: ["id": id, "last": "n\(id % 7)", "age": id % 5]))
                }
            }
        }
        let reports = Locked<[IndexBuildProgress]>([])
        let crashed = TemporaryDirectory()
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [IndexedMember.self], durability: .unsynced)
        let (source, target) = (directory.url, crashed.url)
        configuration.indexBuildProgress = { progress in
            reports.withLock { $0.append(progress) }
            if progress.completedCount < 2000 {
                // What a crash in the middle of building leaves.
                let copied = Result { try FileManager.default.copyItem(at: source, to: target) }
                if case .failure(let error) = copied { Issue.record("\(error)") }
            }
        }
        do {
            let realm = try Realm(configuration: configuration)
            #expect(try realm.brokenInvariants() == [])
            #expect(realm.objects(IndexedMember.self).where { $0.last == "n3" }.count == 429)
        }
        let counts = reports.withLock { $0.map(\.completedCount) }
        #expect(counts == [1024, 2048, 3000])
        #expect(reports.withLock { $0.allSatisfy { $0.totalCount == 3000 } })
        do {
            let realm = try crashed.open([IndexedMember.self])
            #expect(try realm.brokenInvariants() == [])
            #expect(try !DerivedTests.dump(realm).isEmpty)
        }
        let realm = try directory.open([PlainMember.self])
        #expect(realm.session.table(of: PlainMember.self).stored.derivedKeyspaces.isEmpty)
        #expect(realm.session.shared.schema.encodedHeader.first == 2)
    }

    @Test("queries with equalities use the index that covers most of them")
    func queries() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Member.self])
        try realm.write {
            for id in 0..<300 {
                realm.add(
                    Member(value: ["id": id, "last": "n\(id % 7)", "age": id % 5, "email": "\(id)"])
                )
            }
        }
        func candidates(_ condition: (Query<Member>) -> Query<Bool>) throws -> [UInt64]? {
            let results = realm.objects(Member.self).where(condition)
            return try results.state.candidates()?.keys
        }
        #expect(try candidates { $0.last == "n3" && $0.age == 2 }?.count == 9)
        #expect(try candidates { $0.age == 2 && $0.last == "n3" && $0.id != 0 }?.count == 9)
        #expect(try candidates { $0.last == "n3" }?.count == 43)
        #expect(try candidates { $0.email == "17" }?.count == 1)
        #expect(try candidates { $0.age == 2 } == nil)
        #expect(try candidates { $0.last == "n3" || $0.age == 2 } == nil)
        let expected = (0..<300).filter { $0 % 7 == 3 && $0 % 5 == 2 }
        #expect(
            realm.objects(Member.self).where { $0.age == 2 && $0.last == "n3" }.map(\.id)
                == expected)
    }

    @Test("narrow ranges are looked up in the index, and find what reading every object finds")
    func ranges() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Ranged.self])
        var random = SeededRandom(seed: 5)
        try realm.write {
            for id in 0..<1500 {
                let text = random.text()
                let number = random.below(2000) - 1000
                realm.add(
                    Ranged(
                        value: [
                            "id": id, "number": number, "text": text, "plainNumber": number,
                            "plainText": text,
                            "maybe": random.chance(30) ? nil : number as Any,
                        ] as [String: Any?]))
            }
        }
        let all = realm.objects(Ranged.self)
        func check(
            _ indexed: (Query<Ranged>) -> Query<Bool>, _ plain: (Query<Ranged>) -> Query<Bool>,
            isNarrow: Bool
        ) throws {
            let found = all.where(indexed)
            #expect(found.map(\.id) == all.where(plain).map(\.id))
            let candidates = try found.state.candidates()
            #expect((candidates != nil) == isNarrow)
        }
        try check({ $0.number > 900 }, { $0.plainNumber > 900 }, isNarrow: true)
        try check({ $0.number <= -900 }, { $0.plainNumber <= -900 }, isNarrow: true)
        try check(
            { $0.number >= -50 && $0.number < 50 },
            { $0.plainNumber >= -50 && $0.plainNumber < 50 },
            isNarrow: true)
        try check({ $0.number > -900 }, { $0.plainNumber > -900 }, isNarrow: false)
        for bound in (0..<20).map({ _ in random.text() }) + [String(repeating: "long ", count: 90)]
        {
            let upper = bound + "2"
            try check(
                { $0.text >= bound && $0.text < upper },
                { $0.plainText >= bound && $0.plainText < upper },
                isNarrow: try all.where { $0.text >= bound && $0.text < upper }.state
                    .candidates() != nil
            )
        }
        #expect(all.where { $0.maybe < -990 }.allSatisfy { $0.maybe.map { $0 < -990 } ?? false })
        #expect(
            all.where { $0.maybe < -990 }.count
                == all.filter { $0.maybe.map { $0 < -990 } ?? false }.count)
    }

    @Test("every broken rule of declared indexes is named")
    func validation() throws {
        let directory = TemporaryDirectory()
        let error = try #require(throws: Realm.Error.self) {
            _ = try directory.open([BadlyIndexed.self])
        }
        for text in [
            "names 'missing'", "names 'name' twice", "can't hold 'size'", "0 properties",
            "'BadlyIndexed.count' has a full-text index and is no string",
            "'BadlyIndexed.words' can't be both indexed and full text",
        ] {
            #expect(error.message.contains(text), "\(text)")
        }
    }

    @Test("data, enums and custom types can be indexed, nil being an entry")
    func indexableTypes() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Labelled.self])
        try realm.write {
            for id in 0..<20 {
                realm.add(
                    Labelled(
                        value: [
                            "id": id, "hash": Data([UInt8(id % 4), 0, 255]),
                            "shade": id % 2 == 0 ? Shade.dark : Shade.light,
                        ]))
            }
        }
        #expect(realm.objects(Labelled.self).where { $0.hash == Data([2, 0, 255]) }.count == 5)
        #expect(realm.objects(Labelled.self).where { $0.shade == .dark }.count == 10)
        #expect(realm.objects(Labelled.self).where { $0.other == nil }.count == 20)
        let conditions: [(condition: (Query<Labelled>) -> Query<Bool>, count: Int)] = [
            ({ $0.hash == Data([2, 0, 255]) }, 5), ({ $0.shade == .dark }, 10),
            ({ $0.other == nil }, 20),
        ]
        for (condition, count) in conditions {
            let state = realm.objects(Labelled.self).where(condition).state
            let found = try QueryPlanning.$prefersIndexes.withValue(true) {
                try state.candidates()?.keys
            }
            #expect(found?.count == count)
        }
    }

    @Test("floating-point numbers and decimals can be indexed: zeros are equal, NaN is in no range")
    func inexactTypes() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Gauged.self])
        let reals: [Double?] = [
            nil, .nan, -.infinity, -1.5, -0.0, 0, 1.5, 1.5, .infinity, .leastNonzeroMagnitude,
        ]
        try realm.write {
            for (id, real) in reals.enumerated() {
                realm.add(
                    Gauged(
                        value: [
                            "id": id, "real": real as Any, "single": real.map { Float($0) } ?? 7,
                            "exact": Decimal128(value: real ?? 3),
                        ]))
            }
        }
        let all = realm.objects(Gauged.self)
        let conditions: [(condition: (Query<Gauged>) -> Query<Bool>, ids: [Int])] = [
            ({ $0.real == 0 }, [4, 5]), ({ $0.real == nil }, [0]), ({ $0.real == .nan }, []),
            ({ $0.real >= 0 }, [4, 5, 6, 7, 8, 9]), ({ $0.real < 0 }, [2, 3]),
            ({ $0.real > -.infinity && $0.real < 1.5 }, [3, 4, 5, 9]),
            ({ $0.single == 1.5 }, [6, 7]), ({ $0.single < -1 }, [2, 3]),
            ({ $0.exact == 1.5 }, [6, 7]), ({ $0.exact <= 0 }, [2, 3, 4, 5]),
        ]
        for (position, (condition, ids)) in conditions.enumerated() {
            let found = QueryPlanning.$prefersIndexes.withValue(true) {
                let results = all.where(condition)
                return (ids: results.map(\.id).sorted(), plan: results.explain())
            }
            #expect(found.ids == ids, "condition \(position)")
            #expect(!found.plan.contains("scan"), "condition \(position): \(found.plan)")
        }
        let sorted = QueryPlanning.$prefersIndexes.withValue(true) {
            all.sorted(by: \.real).map(\.id)
        }
        #expect(Array(sorted) == [0, 1, 2, 3, 4, 5, 9, 6, 7, 8])
    }
}

class Gauged: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var real: Double?
    @Persisted(indexed: true) var single: Float
    @Persisted(indexed: true) var exact: Decimal128
}

class Member: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var last: String
    @Persisted var age: Int
    @Persisted var email: String?
    @Persisted var anything: AnyRealmValue
    @Persisted var bytes: Data?
    @Persisted(indexed: .fullText) var notes: String?
    override class func indexes() -> [ObjectIndex] {
        [
            ObjectIndex("last", "age"), ObjectIndex("email", isUnique: true),
            ObjectIndex("anything", "bytes", "notes"),
        ]
    }
}

class Ranged: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var number: Int
    @Persisted(indexed: true) var text: String
    @Persisted(indexed: true) var maybe: Int?
    @Persisted var plainNumber: Int
    @Persisted var plainText: String
}

class PlainMember: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var last: String
    @Persisted var age: Int
    override class func objectTypeName() -> String { "Indexed" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class IndexedMember: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var last: String
    @Persisted var age: Int
    override class func objectTypeName() -> String { "Indexed" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] {
        [ObjectIndex("last", "age"), ObjectIndex("age", "id", isUnique: true)]
    }
}

class BadlyIndexed: Object {
    @Persisted var name: String
    @Persisted(indexed: .fullText) var words: String
    @Persisted var size: List<Double>
    @Persisted(indexed: .fullText) var count: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] {
        [ObjectIndex("name", "missing"), ObjectIndex("name", "name"), ObjectIndex("size")]
            + [ObjectIndex(properties: []), ObjectIndex("words")]
    }
}

enum Shade: String, PersistableEnum {
    case light
    case dark
}

class Labelled: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var hash: Data
    @Persisted(indexed: .general) var shade: Shade
    @Persisted(indexed: true) var other: Data?
}
