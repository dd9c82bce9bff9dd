import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md 2.1, O-L3a: a read that fails while changes are found takes nothing away
/// from what is reported.
@Suite("Observing over reads that fail")
struct FailedReadTests {
    enum Kind: CaseIterable, Sendable {
        case results, sorted, list, map, object
    }

    /// When rows can't be read: after the first or second of two transactions that are not
    /// reported, or at the delivery after them.
    struct Failing: OptionSet, Sendable {
        let rawValue: Int

        static let first = Failing(rawValue: 1)
        static let second = Failing(rawValue: 2)
        static let delivery = Failing(rawValue: 4)

        static let all = (1...7).map { Failing(rawValue: $0) }
    }

    /// Names of objects that are changed, and whose rows are damaged.
    private static let marks = ["marked b", "marked c"]

    /// What is reported after what another realm commits, then two transactions that are not
    /// reported, all in a block that is called for a change, and then another commit and a
    /// delivery.
    private func told(_ kind: Kind, _ failing: Failing) throws -> [String] {
        let directory = TemporaryDirectory()
        func open(_ verification: Realm.Verification) throws -> Realm {
            var configuration = Realm.Configuration(
                fileURL: directory.url,
                objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
                durability: .commit)
            configuration.verification = verification
            return try Realm(configuration: configuration)
        }
        let (realm, other) = (try open(.always), try open(.onFirstRead))
        let owner = try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "scores": ["a": 1]])
            for (age, name) in (["a"] + Self.marks).enumerated() {
                owner.pets.append(ObservedPet(value: ["name": name, "age": age]))
            }
            return owner
        }
        var damaged: [BytePlace] = []
        func damage() throws {
            damaged = try Self.marks.flatMap { try BytePlace.all(of: $0, in: directory.url) }
            try #require(!damaged.isEmpty)
            for place in damaged { try place.flip() }
        }
        /// Repairs the rows, and throws away the error that was found, if any; whether there was
        /// one.
        func repair() throws -> Bool {
            for place in damaged { try place.flip() }
            damaged = []
            return (try? realm.write {}) == nil
        }

        let reports = Reports()
        var token: NotificationToken?
        var isFirst = true
        func commit() throws {
            guard isFirst, let token else { return }
            isFirst = false
            _ = reports.take()
            try other.write { Self.missed(other) }
            for (number, part) in [(1, Failing.first), (2, .second)] {
                try realm.write(withoutNotifying: [token]) {
                    Self.own(realm, number)
                    if failing.contains(part) { try damage() }
                }
                if failing.contains(part) { #expect(try repair(), "the error is thrown later") }
            }
        }
        func note<Base>(_ change: RealmCollectionChange<Base>) {
            reports.note(change)
            if case .update = change { try! commit() }
        }
        let pets = realm.objects(ObservedPet.self)
        switch kind {
        case .results: token = pets.observe(note)
        case .sorted: token = pets.sorted(by: \.age, ascending: false).observe(note)
        case .list: token = owner.pets.observe(note)
        case .map:
            token = owner.scores.observe {
                reports.note($0)
                if case .update = $0 { try! commit() }
            }
        case .object:
            token = owner.observe { (change: ObjectChange<ObservedOwner>) in
                reports.note(change)
                if case .change = change { try! commit() }
            }
        }
        realm.refresh()
        try realm.write {
            owner.pets[0].age += 10
            owner.scores["a"] = 2
            owner.numbers.append(1)
        }
        realm.refresh()
        try #require(!isFirst)
        try other.write { Self.later(other) }
        if failing.contains(.delivery) {
            try damage()
            realm.refresh()
            #expect(reports.all == [])
            // What it finds out by itself is reported at the beginning of this transaction.
            #expect(try repair())
        }
        for _ in 0..<2 { realm.refresh() }
        token?.invalidate()
        return reports.take()
    }

    /// What another realm commits.
    private static func missed(_ realm: Realm) {
        let owner = realm.objects(ObservedOwner.self)[0]
        let missed = realm.create(ObservedPet.self, value: ["name": "missed", "age": 7])
        owner.pets.insert(missed, at: 1)
        owner.pets[2].age = 20
        owner.scores["missed"] = 1
        owner.name = "missed"
    }

    /// What the realm commits without a report. A transaction that changes an embedded object has
    /// no note of what it changed (O-L13c).
    private static func own(_ realm: Realm, _ number: Int) {
        let owner = realm.objects(ObservedOwner.self)[0]
        let own = realm.create(ObservedPet.self, value: ["name": "own", "age": 5 * number])
        owner.pets.append(own)
        owner.pets[3].age = 30 + number
        owner.scores["own \(number)"] = 1
        owner.any = .int(number)
        owner.address = ObservedAddress(value: ["city": "\(number)"])
    }

    /// What another realm commits after that.
    private static func later(_ realm: Realm) {
        let owner = realm.objects(ObservedOwner.self)[0]
        owner.pets[2].age = 21
        owner.scores["later"] = 1
        owner.favourite = owner.pets[2]
    }

    @Test(
        "what is reported is what others changed, as without a failure", arguments: Kind.allCases,
        Failing.all)
    func skipped(_ kind: Kind, _ failing: Failing) throws {
        let expected = try told(kind, [])
        #expect(expected.count == 1)
        #expect(try told(kind, failing) == expected)
    }
}
