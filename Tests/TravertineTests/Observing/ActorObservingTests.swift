import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md, section 2: observing on an actor, with both spellings of key paths.
@Suite("Observing each kind of thing on an actor")
struct ActorObservingTests {
    private let directory = TemporaryDirectory()

    enum Kind: CaseIterable, Sendable {
        case results, object, list, set, linkingObjects, map, sections, section, projection
        case projectedCollection
    }

    /// Observes one thing in three ways: everything ("all"), by names, and by key paths.
    private actor Watcher {
        private var realm: Realm!
        private var tokens: [NotificationToken] = []
        private var reports: [String] = []

        func observe(_ kind: Kind, _ configuration: Realm.Configuration) async throws {
            realm = try await Realm.open(configuration: configuration)
            let owner = realm.objects(ObservedOwner.self)[0]
            switch kind {
            case .results:
                let pets = realm.objects(ObservedPet.self).where { $0.name != "hidden" }
                await observe(pets, "age", \.age)
            case .object: await observe(owner)
            case .list: await observe(owner.pets, "age", \.age)
            case .set: await observe(owner.tags)
            case .linkingObjects: await observe(owner.pets[0].owners, "name", \.name)
            case .map: await observe(owner.byName)
            case .sections: await observe(sections)
            case .section: await observe(sections[0])
            case .projection: await observe(ObservedOwnerView(projecting: owner))
            case .projectedCollection:
                await observe(ObservedOwnerView(projecting: owner).petNames)
            }
            realm.refresh()
            reports = []
        }

        private var sections: SectionedResults<String, ObservedPet> {
            realm.objects(ObservedPet.self).sectioned(by: \.name, ascending: true)
        }

        private func note(_ way: String, _ note: (Reports) -> Void) {
            let texts = Reports()
            note(texts)
            reports += texts.take().map { "\(way) \($0)" }
        }

        private func note<Base>(_ way: String, _ change: RealmCollectionChange<Base>) {
            note(way) { $0.note(change) }
        }

        private func note<Base>(_ way: String, _ change: ObjectChange<Base>) {
            note(way) { $0.note(change) }
        }

        private func note<Base>(_ way: String, _ change: RealmMapChange<Base>) {
            note(way) { $0.note(change) }
        }

        private func note<Base>(_ way: String, _ change: SectionedResultsChange<Base>) {
            note(way) { $0.note(change) }
        }

        var count: Int { reports.count }

        func take() -> [String] {
            defer { reports = [] }
            return reports.sorted()
        }

        func end() { tokens = [] }

        private func observe<Observed: RealmCollection & SendableMetatype>(
            _ objects: Observed, _ name: String, _ path: PartialKeyPath<Observed.Element>
        ) async where Observed.Element: ObjectBase {
            tokens = [
                await objects.observe(on: self) { $0.note("all", $1) },
                await objects.observe(keyPaths: [name], on: self) { $0.note("names", $1) },
                await objects.observe(keyPaths: [path], on: self) { $0.note("paths", $1) },
            ]
        }

        private func observe(_ tags: MutableSet<String>) async {
            tokens = [await tags.observe(on: self) { $0.note("all", $1) }]
        }

        private func observe(_ names: ProjectedCollection<String>) async {
            tokens = [
                await names.observe(on: self) { $0.note("all", $1) },
                await names.observe(keyPaths: ["age"], on: self) { $0.note("names", $1) },
            ]
        }

        private func observe(_ owner: ObservedOwner) async {
            let path: PartialKeyPath<ObservedOwner> = \.favourite?.age
            tokens = [
                await owner.observe(on: self) { $0.note("all", $1) },
                await owner.observe(keyPaths: ["favourite.age"], on: self) { $0.note("names", $1) },
                await owner.observe(keyPaths: [path], on: self) { $0.note("paths", $1) },
            ]
        }

        private func observe(_ view: ObservedOwnerView) async {
            let path: PartialKeyPath<ObservedOwnerView> = \.title
            tokens = [
                await view.observe(on: self) { $0.note("all", $1) },
                await view.observe(keyPaths: ["title"], on: self) { $0.note("names", $1) },
                await view.observe(keyPaths: [path], on: self) { $0.note("paths", $1) },
            ]
        }

        private func observe(_ byName: Map<String, ObservedPet?>) async {
            let path: PartialKeyPath<ObservedPet> = \.age
            tokens = [
                await byName.observe(on: self) { $0.note("all", $1) },
                await byName.observe(keyPaths: ["age"], on: self) { $0.note("names", $1) },
                await byName.observe(keyPaths: [path], on: self) { $0.note("paths", $1) },
            ]
        }

        private func observe(_ sections: SectionedResults<String, ObservedPet>) async {
            let path: PartialKeyPath<ObservedPet> = \.name
            tokens = [
                await sections.observe(on: self) { $0.note("all", $1) },
                await sections.observe(keyPaths: ["name"], on: self) { $0.note("names", $1) },
                await sections.observe(keyPaths: [path], on: self) { $0.note("paths", $1) },
            ]
        }

        private func observe(_ section: ResultsSection<String, ObservedPet>) async {
            let path: PartialKeyPath<ObservedPet> = \.name
            tokens = [
                await section.observe(on: self) { $0.note("all", $1) },
                await section.observe(keyPaths: ["name"], on: self) { $0.note("names", $1) },
                await section.observe(keyPaths: [path], on: self) { $0.note("paths", $1) },
            ]
        }
    }

    /// What is changed, and what is reported then.
    private func steps(of kind: Kind) -> [(change: (ObservedOwner) -> Void, reports: [String])] {
        func all(_ text: String) -> [String] { ["all", "names", "paths"].map { "\($0) \(text)" } }
        let name: (ObservedOwner) -> Void = { $0.pets[0].name = "p0." }
        let age: (ObservedOwner) -> Void = { $0.pets[0].age += 1 }
        let more: (ObservedOwner) -> Void = { $0.pets.append(ObservedPet(value: ["name": "p9"])) }
        let ownName: (ObservedOwner) -> Void = { $0.name += "." }
        let modified = "-[] +[] ~[0]"
        switch kind {
        case .results, .list:
            return [
                (name, ["all \(modified)"]), (age, all(modified)), (more, all("-[] +[2] ~[]")),
            ]
        case .object:
            return [(ownName, ["all name"]), (age, ["names favourite", "paths favourite"])]
        case .set: return [({ $0.tags.insert("a") }, ["all -[] +[0] ~[]"])]
        case .linkingObjects:
            return [(ownName, all(modified)), ({ $0.numbers.append(1) }, ["all \(modified)"])]
        case .map:
            return [
                (name, ["all -[] +[] ~[\"a\"]"]), (age, all("-[] +[] ~[\"a\"]")),
                ({ $0.byName["b"] = $0.pets[1] }, all("-[] +[\"b\"] ~[]")),
            ]
        case .sections:
            return [
                (age, ["all -[] +[] ~[[0, 0]] sections -[] +[]"]),
                (more, all("-[] +[] ~[] sections -[] +[2]")),
            ]
        case .section:
            return [
                (age, ["all -[] +[] ~[[0, 0]] sections -[] +[]"]),
                (
                    { $0.pets.append(ObservedPet(value: ["name": "p0"])) },
                    all("-[] +[[0, 1]] ~[] sections -[] +[]")
                ),
            ]
        case .projection:
            return [(ownName, all("title")), (name, ["all favouriteName,petNames"])]
        case .projectedCollection:
            return [
                (name, ["all \(modified)"]), (age, ["names \(modified)"]),
                (more, ["all -[] +[2] ~[]", "names -[] +[2] ~[]"]),
            ]
        }
    }

    private var configuration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .unsynced)
    }

    private func write(_ body: (Realm) -> Void) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { body(realm) }
    }

    @Test("the actor is notified of what counts, and of nothing else", arguments: Kind.allCases)
    func kinds(_ kind: Kind) async throws {
        try write { realm in
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
            for name in ["p0", "p1"] { owner.pets.append(ObservedPet(value: ["name": name])) }
            owner.favourite = owner.pets[0]
            owner.byName["a"] = owner.pets[0]
        }
        let watcher = Watcher()
        try await watcher.observe(kind, configuration)
        for (change, reports) in steps(of: kind) {
            try write { change($0.objects(ObservedOwner.self)[0]) }
            let deadline = Deadline(seconds: 60)
            while await watcher.count < reports.count, !deadline.isOver { await Task.yield() }
            #expect(await watcher.take() == reports.sorted())
        }
        await watcher.end()
    }
}
