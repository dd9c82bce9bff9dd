import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md 2.2, O-L8b: changes of an object that very many others link to.
@Suite("Observing few of the objects that link to one that changes")
struct ManyLinkingObjectsTests {
    let directory = try! TemporaryDirectory()
    let reports = Reports()

    private static let ownerCount = 6000

    /// A realm with many owners of one pet, some of which also have it by other ways.
    private func open() throws -> Realm {
        let realm = try directory.open([
            ObservedPet.self, ObservedOwner.self, ObservedAddress.self,
        ])
        try realm.write {
            let hub = realm.create(ObservedPet.self, value: ["name": "hub"])
            for id in 0..<Self.ownerCount {
                realm.create(ObservedOwner.self, value: ["id": id, "favourite": hub])
            }
            let owners = realm.objects(ObservedOwner.self)
            owners[1].favourite = nil
            owners[2].favourite = nil
            owners[2].pets.append(hub)
            owners[3].favourite = nil
            owners[3].byName["hub"] = hub
            owners[4].favourite = nil
            owners[4].any = .object(hub)
            owners[5].favourite = nil
            owners[5].any = .fromArray([.int(1), .fromDictionary(["x": .object(hub)])])
            owners[6].favourite = nil
            owners[6].next = owners[2]
            owners[7].favourite = nil
        }
        return realm
    }

    /// How many rows and links were looked at to report what was committed.
    private func visits(_ realm: Realm, _ change: () -> Void) throws -> Int {
        try realm.write(change)
        #if DEBUG
            realm.session.visits = (0, 0, 0, 0)
            realm.refresh()
            return realm.session.visits.rows + realm.session.visits.links
        #else
            realm.refresh()
            return 0
        #endif
    }

    @Test("looks at what these few lead to, on whatever ways, and finds what all others would")
    func few() throws {
        let realm = try open()
        let hub = realm.objects(ObservedPet.self)[0]
        let owners = realm.objects(ObservedOwner.self)
        let tokens = [
            owners.where { $0.id < 10 }.observe { reports.note($0, "results") },
            owners.where { $0.id < 10 }.sorted(byKeyPath: "id", ascending: false)
                .observe { reports.note($0, "sorted") },
            owners.where { $0.id < 10 }.distinct(by: ["id"]).observe {
                reports.note($0, "distinct")
            },
            owners.where { $0.id < 10 }.observe(keyPaths: ["next.pets.name"]) {
                reports.note($0, "paths")
            },
            owners.where { $0.id < 10 }.sectioned(by: \.id).observe { reports.note($0) },
        ]
        realm.refresh()
        _ = reports.take()
        let count = try visits(realm) { hub.name = "changed" }
        #expect(
            reports.take() == [
                "results: -[] +[] ~[0, 2, 3, 4, 5, 6, 8, 9]",
                "sorted: -[] +[] ~[0, 1, 3, 4, 5, 6, 7, 9]",
                "distinct: -[] +[] ~[0, 2, 3, 4, 5, 6, 8, 9]",
                "paths: -[] +[] ~[6]",
                "-[] +[] ~\([0, 2, 3, 4, 5, 6, 8, 9].map { [$0, 0] }) sections -[] +[]",
            ])
        #expect(count < 5 * Self.ownerCount, "\(count) rows and links for five observations")
        for token in tokens { token.invalidate() }
    }

    #if DEBUG
        @Test("costs the cap and what these lead to, not the number of all that link")
        func cost() throws {
            let realm = try open()
            let hub = realm.objects(ObservedPet.self)[0]
            let owners = realm.objects(ObservedOwner.self)
            let owner = owners[0]
            let observers: [() -> NotificationToken] = [
                { owners.where { $0.id < 10 }.observe { reports.note($0) } },
                { owner.observe(keyPaths: ["favourite.name"]) { reports.note($0) } },
                {
                    owners.where { $0.id < 10 }.observe(keyPaths: ["favourite.name"]) {
                        reports.note($0)
                    }
                },
            ]
            for (number, observe) in observers.enumerated() {
                let token = observe()
                realm.refresh()
                _ = reports.take()
                let count = try visits(realm) { hub.name += "x" }
                #expect(reports.take().count == 1)
                #expect(count < Self.ownerCount / 2, "\(count) of observation \(number)")
                token.invalidate()
            }
        }
    #endif

    @Test("a condition through the link lets the query run again, and finds what came")
    func conditions() throws {
        let realm = try open()
        let hub = realm.objects(ObservedPet.self)[0]
        let token = realm.objects(ObservedOwner.self).where { $0.favourite.name == "named" }
            .observe(keyPaths: [String]()) { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        try realm.write { hub.name = "named" }
        realm.refresh()
        #expect(reports.take() == ["-[] +\(Array(0..<(Self.ownerCount - 7))) ~[]"])
        try realm.write { hub.name = "other" }
        realm.refresh()
        #expect(reports.take() == ["-\(Array(0..<(Self.ownerCount - 7))) +[] ~[]"])
        token.invalidate()
    }
}
