import Dispatch
import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md, section 2: key paths of projections, of what they project, and of maps.
@Suite("Observing projections by key paths")
struct ProjectionObservingTests {
    private let directory = TemporaryDirectory()
    private let reports = Reports()

    private func open() throws -> (Realm, ObservedOwner) {
        let realm = try directory.open([
            ObservedPet.self, ObservedOwner.self, ObservedAddress.self,
        ])
        let owner = try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
            owner.pets.append(ObservedPet(value: ["name": "p0"]))
            owner.favourite = owner.pets[0]
            owner.byName["a"] = owner.pets[0]
            return owner
        }
        return (realm, owner)
    }

    @Test("a text is the name of a projected property, or the path that it shows, as in RealmSwift")
    func pathsOfOrigin() throws {
        let (realm, owner) = try open()
        let view = ObservedOwnerView(projecting: owner)
        func observe(_ texts: [String]) -> NotificationToken {
            let name = texts.joined(separator: "+")
            return view.observe(keyPaths: texts) { [reports] change in
                guard case .change(_, let properties) = change else { return }
                reports.note("\(name): \(properties.map(\.name))")
            }
        }
        let tokens = [
            observe(["title"]), observe(["name"]), observe(["favourite.name"]),
            observe(["pets.name", "name"]), observe(["favouriteName", "favourite.name"]),
        ]
        realm.refresh()
        try realm.write { owner.name = "q" }
        realm.refresh()
        #expect(
            reports.take() == [
                "title: [\"title\"]", "name: [\"title\"]", "pets.name+name: [\"title\"]",
            ])
        try realm.write { owner.favourite?.name = "r" }
        realm.refresh()
        #expect(
            reports.take() == [
                "favourite.name: [\"favouriteName\"]", "pets.name+name: [\"petNames\"]",
                "favouriteName+favourite.name: [\"favouriteName\"]",
            ])
        for token in tokens { token.invalidate() }
    }

    @Test("a text that is neither is refused with the names that there are")
    func unknown() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, owner) = try ProjectionObservingTests().open()
            _ = ObservedOwnerView(projecting: owner).observe(keyPaths: ["titel"]) { _ in }
        }
        #expect(outcome.errorText.contains("Can't observe 'titel'"))
        #expect(outcome.errorText.contains("'title'"))
    }

    @Test("key paths of a projected collection count in place of the projected property")
    func projectedCollection() throws {
        let (realm, owner) = try open()
        let names = ObservedOwnerView(projecting: owner).petNames
        let tokens = [
            names.observe { [reports] in reports.note($0, "all") },
            names.observe(keyPaths: ["age"]) { [reports] in reports.note($0, "age") },
            names.observe(keyPaths: []) { [reports] in reports.note($0, "none") },
        ]
        realm.refresh()
        _ = reports.take()
        try realm.write { owner.pets[0].name = "x" }
        realm.refresh()
        #expect(reports.take() == ["all: -[] +[] ~[0]"])
        try realm.write { owner.pets[0].age = 9 }
        realm.refresh()
        #expect(reports.take() == ["age: -[] +[] ~[0]"])
        try realm.write { owner.pets.append(ObservedPet()) }
        realm.refresh()
        #expect(reports.take() == ["all", "age", "none"].map { "\($0): -[] +[1] ~[]" })
        for token in tokens { token.invalidate() }
    }

    @Test("key paths are handed over to a queue with what is observed")
    func queues() throws {
        let (realm, owner) = try open()
        let queue = DispatchQueue(label: "key paths")
        let (maps, lists) = (SharedReports(), SharedReports())
        let tokens = [
            owner.byName.observe(keyPaths: [\ObservedPet.age], on: queue) { change in
                if case .update(_, _, _, let keys) = change { maps.note("\(keys)") }
            },
            ObservedOwnerView(projecting: owner).petNames.observe(keyPaths: ["age"], on: queue) {
                lists.note($0)
            },
        ]
        #expect(lists.wait { $0 == ["initial"] })
        try realm.write { owner.pets[0].name = "x" }
        try realm.write { owner.pets[0].age = 9 }
        #expect(maps.wait { $0 == ["[\"a\"]"] } && lists.wait { $0.count == 2 })
        #expect(lists.all == ["initial", "-[] +[] ~[0]"])
        for token in tokens { token.invalidate() }
        queue.sync {}
    }

    @Test("a block of the type NotificationBlock observes a realm")
    func notificationBlock() throws {
        let (realm, owner) = try open()
        let block: NotificationBlock = { [reports] notification, realm in
            reports.note("\(notification) \(realm.isInWriteTransaction)")
        }
        let token = realm.observe(block)
        try realm.write { owner.name = "x" }
        #expect(reports.take() == ["didChange false"])
        token.invalidate()
    }
}
