import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md, section 2: changes as sequences, of each kind of thing.
@Suite("Sequences of changes")
struct ChangeSequenceTests {
    private let directory = TemporaryDirectory()

    enum Kind: CaseIterable, Sendable {
        case realm, results, list, object, map, sections, section, projection, projectedCollection
    }

    enum Form: CaseIterable, Sendable {
        case everything, names, keyPaths
    }

    private actor Reader {
        private var realm: Realm!
        private var reports: [String] = []
        private(set) var isReady = false

        /// Reads what changes in something until the task is cancelled.
        ///
        /// - Parameters:
        ///   - keyPaths: nil for the sequence `changes`.
        ///   - isTyped: whether they are given as key paths of Swift.
        func read(
            _ kind: Kind, _ keyPaths: [String]?, isTyped: Bool,
            _ configuration: Realm.Configuration
        ) async throws {
            realm = try await Realm.open(configuration: configuration)
            let owner = realm.objects(ObservedOwner.self)[0]
            let view = ObservedOwnerView(projecting: owner)
            let pets = realm.objects(ObservedPet.self)
            let sections = pets.sectioned(by: \.name, ascending: true)
            switch kind {
            case .realm: await loop(realm.changes) { $0.note("\($1)") }
            case .results:
                await loop(
                    isTyped
                        ? pets.changes(keyPaths: [\ObservedPet.age])
                        : keyPaths.map { pets.changes(keyPaths: $0) } ?? pets.changes
                ) {
                    $0.note($1)
                }
            case .list:
                await loop(
                    isTyped
                        ? owner.pets.changes(keyPaths: [\ObservedPet.age])
                        : keyPaths.map { owner.pets.changes(keyPaths: $0) } ?? owner.pets.changes
                ) { $0.note($1) }
            case .object:
                await loop(
                    isTyped
                        ? owner.changes(keyPaths: [\ObservedOwner.favourite!.age])
                        : keyPaths.map { owner.changes(keyPaths: $0) } ?? owner.changes
                ) {
                    $0.note($1)
                }
            case .map:
                let map = owner.byName
                await loop(
                    isTyped
                        ? map.changes(keyPaths: [\ObservedPet.age])
                        : keyPaths.map { map.changes(keyPaths: $0) } ?? map.changes
                ) {
                    $0.note($1)
                }
            case .sections:
                await loop(
                    isTyped
                        ? sections.changes(keyPaths: [\ObservedPet.age])
                        : keyPaths.map { sections.changes(keyPaths: $0) } ?? sections.changes
                ) {
                    $0.note($1)
                }
            case .section:
                let first = sections[0]
                await loop(
                    isTyped
                        ? first.changes(keyPaths: [\ObservedPet.age])
                        : keyPaths.map { first.changes(keyPaths: $0) } ?? first.changes
                ) {
                    $0.note($1)
                }
            case .projection:
                await loop(
                    isTyped
                        ? view.changes(keyPaths: [\ObservedOwnerView.favouriteName])
                        : keyPaths.map { view.changes(keyPaths: $0) } ?? view.changes
                ) {
                    $0.note($1)
                }
            case .projectedCollection:
                let names = view.petNames
                await loop(keyPaths.map { names.changes(keyPaths: $0) } ?? names.changes) {
                    $0.note($1)
                }
            }
            reports.append("end")
        }

        /// Refreshes the realm when it is notified that it can.
        func refresh(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm.open(configuration: configuration)
            realm.autorefresh = false
            await loop(realm.changes) { [realm] in
                $0.note("\($1) \(realm!.objects(ObservedPet.self).count)")
                if $1 == .refreshRequired { #expect(realm!.refresh()) }
            }
        }

        private func loop<Change>(
            _ changes: ChangeSequence<Change>, _ note: (Reports, Change) -> Void
        ) async {
            let iterator = changes.makeAsyncIterator()
            isReady = true
            while let change = await iterator.next(isolation: self) {
                let texts = Reports()
                note(texts, change)
                reports += texts.take()
            }
        }

        var all: [String] { reports }
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

    private func fill() throws {
        try write { realm in
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
            for name in ["p0", "p1"] { owner.pets.append(ObservedPet(value: ["name": name])) }
            owner.favourite = owner.pets[0]
            owner.byName["a"] = owner.pets[0]
        }
    }

    private func wait(_ holds: () async -> Bool) async throws {
        let deadline = Deadline(seconds: 60)
        while await !holds() {
            try #require(!deadline.isOver, "nothing more is reported")
            await Task.yield()
        }
    }

    /// What a loop gets first, and after the owner's name, a pet's age and a pet's name were
    /// changed.
    private func expected(_ kind: Kind, hasKeyPaths: Bool) -> [[String]] {
        let modified = ["-[] +[] ~[0]"]
        let modifiedKey = ["-[] +[] ~[\"a\"]"]
        let inSection = ["-[] +[] ~[[0, 0]] sections -[] +[]"]
        return switch kind {
        case .realm: [[], ["didChange"], ["didChange"], ["didChange"]]
        case .results, .list: [["initial"], [], modified, hasKeyPaths ? [] : modified]
        case .object: hasKeyPaths ? [[], [], ["favourite"], []] : [[], ["name"], [], []]
        case .map: [["initial"], [], modifiedKey, hasKeyPaths ? [] : modifiedKey]
        case .sections: [["initial"], [], inSection, ["-[] +[] ~[] sections -[0] +[1]"]]
        case .section: [["initial"], [], inSection, ["-[] +[] ~[] sections -[0] +[]"]]
        case .projection:
            hasKeyPaths
                ? [[], [], [], ["favouriteName"]]
                : [[], ["title"], [], ["favouriteName,petNames"]]
        case .projectedCollection:
            [["initial"], [], hasKeyPaths ? modified : [], hasKeyPaths ? [] : modified]
        }
    }

    private func keyPaths(_ kind: Kind) -> [String] {
        switch kind {
        case .object: ["favourite.age"]
        case .projection: ["favouriteName"]
        default: ["age"]
        }
    }

    @Test(
        "a loop gets what counts, once each, and ends when it is cancelled",
        arguments: Kind.allCases, Form.allCases)
    func kinds(_ kind: Kind, _ form: Form) async throws {
        // What is in a projected collection are values.
        if kind == .projectedCollection, form == .keyPaths { return }
        let hasKeyPaths = form != .everything
        try fill()
        let reader = Reader()
        let configuration = configuration
        let keyPaths = hasKeyPaths ? keyPaths(kind) : nil
        let task = Task {
            try await reader.read(kind, keyPaths, isTyped: form == .keyPaths, configuration)
        }
        try await wait { await reader.isReady }
        let steps = expected(kind, hasKeyPaths: hasKeyPaths)
        var all = steps[0]
        try await wait { await reader.all.count >= all.count }
        let changes: [(ObservedOwner) -> Void] = [
            { $0.name = "x" }, { $0.pets[0].age = 5 }, { $0.pets[0].name = "p2" },
        ]
        for (change, reports) in zip(changes, steps.dropFirst()) {
            try write { change($0.objects(ObservedOwner.self)[0]) }
            all += reports
            try await wait { await reader.all.count >= all.count }
        }
        task.cancel()
        try await task.value
        #expect(await reader.all == all + ["end"])
    }

    @Test("a loop over a realm without autorefresh is notified that it can be refreshed")
    func refreshing() async throws {
        let reader = Reader()
        let configuration = configuration
        let task = Task { try await reader.refresh(configuration) }
        try await wait { await reader.isReady }
        for count in 1...3 {
            try write { _ = $0.create(ObservedPet.self) }
            try await wait { await reader.all.count == 2 * count }
        }
        task.cancel()
        try await task.value
        #expect(
            await reader.all
                == (1...3).flatMap { ["refreshRequired \($0 - 1)", "didChange \($0)"] })
    }
}
