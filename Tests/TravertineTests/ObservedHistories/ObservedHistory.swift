import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// One history: a world that is changed by two realms, and what is observed of it by one of them.
final class ObservedHistory {
    /// What the observing realm shows.
    private(set) var version: HistoryVersion
    let world: World
    private let watching: Realm
    private let other: Realm
    private let seed: UInt64
    private var values: WorldGenerator
    private var rewriteCounts: [WorldKey: [String: Int]] = [:]
    private(set) var followed: [FollowedThing] = []
    /// What did not agree, for a test to compare with nothing.
    private(set) var problems: [String] = []
    /// How many changes were reported, and how many of them were followed without a query.
    private(set) var reportCount = 0
    private(set) var followedCount = 0

    init(seed: UInt64) throws {
        self.seed = seed
        values = WorldGenerator(seed: seed)
        world = try World()
        watching = world.realm
        other = try world.openAnother()
        version = HistoryVersion(data: world.data)
    }

    /// Writes and observes alternately.
    func run(stepCount: Int, observedCount: Int, objectCount: Int) throws {
        try values.fill(world, objectCount)
        refresh()
        for step in 0..<stepCount {
            while followed.count < observedCount { follow() }
            refresh()
            for _ in 0...values.random.below(2) { try write() }
            if values.random.chance(6) { try world.compact() }
            if values.random.chance(6) { try watching.store.checkpoint() }
            refresh()
            check(step)
            if !problems.isEmpty { return }
            if values.random.chance(30) { followed.remove(at: values.random.below(followed.count)) }
        }
    }

    /// Shows the newest version. Queries run as planned, or by a scan.
    private func refresh() {
        version = HistoryVersion(data: world.data, rewriteCounts: rewriteCounts)
        QueryPlanning.$isScanOnly.withValue(values.random.chance(20)) {
            _ = watching.refresh()
        }
    }

    private func check(_ step: Int) {
        for thing in followed {
            thing.check()
            problems += thing.problems.map { "seed \(seed), step \(step), \(thing.name): \($0)" }
            reportCount += thing.reportCount
            if let objects = thing as? FollowedObjects { followedCount += objects.followedCount }
        }
        followed.removeAll { $0.isEnded }
    }

    // MARK: Writing

    private func write() throws {
        let isOwn = values.random.chance(50)
        let writer = isOwn ? watching : other
        world.use(writer)
        defer { world.use(watching) }
        // A transaction begins with a delivery, of all that was committed.
        version = HistoryVersion(data: world.data, rewriteCounts: rewriteCounts)
        let count = 1 + values.random.below(values.random.chance(15) ? 30 : 4)
        if values.random.chance(10) {
            let before = rewriteCounts
            try world.cancel { for _ in 0..<count { try change() } }
            rewriteCounts = before
            return
        }
        let isSilent = isOwn && values.random.chance(10)
        let silent = isSilent ? followed.filter { _ in values.random.chance(50) } : []
        try writer.write(withoutNotifying: silent.flatMap(\.tokens)) {
            for _ in 0..<count { try change() }
        }
        guard !silent.isEmpty else { return }
        version = HistoryVersion(data: world.data, rewriteCounts: rewriteCounts)
        for thing in silent { thing.skip() }
    }

    private func change() throws {
        switch values.random.below(10) {
        case 0: try addObject()
        case 1:
            let keys = world.data.keys(
                of: values.random.pick(["WorldSpot", "WorldOwner", "WorldPier"]))
            if keys.count > 3 { world.delete(values.random.pick(keys)) }
        case 2: changeCrate()
        case 3, 4: changeCollection()
        default: setProperty()
        }
    }

    private func addObject() throws {
        let name = values.random.pick(["WorldSpot", "WorldSpot", "WorldOwner", "WorldPier"])
        try world.add(name, values.values(of: world.data.types[name]!, world.data))
    }

    private func setProperty() {
        let name = values.random.pick(["WorldSpot", "WorldSpot", "WorldOwner", "WorldPier"])
        guard let key = pick(name) else { return }
        let property = values.random.pick(world.data.types[name]!.properties)
        guard property.name != "id", property.name != "code" else { return }
        if case .links = property.kind { return }
        let value = values.value(property, world.data)
        // Often it is set to what it is.
        let old = world.data.objects[key]?.values[property.name] ?? .null
        let isSame = values.random.chance(10) && !property.isEmbedded
        noteRewrite(property, key, old, isSame ? old : value)
        world.set(property.name, of: key, isSame ? old : value)
    }

    private func noteRewrite(
        _ property: WorldProperty, _ key: WorldKey, _ old: WorldValue, _ new: WorldValue
    ) {
        guard property.type == .any, old.hasCollection || new.hasCollection else { return }
        rewriteCounts[key, default: [:]][property.name, default: 0] += 1
    }

    private func pick(_ type: String) -> WorldKey? {
        let keys = world.data.keys(of: type)
        return keys.isEmpty ? nil : values.random.pick(keys)
    }

    /// Changes an embedded object in its place.
    private func changeCrate() {
        guard let key = pick("WorldSpot"), let spot = world.handle(key) as? WorldSpot else {
            return
        }
        let name = values.random.pick(["crate", "crates"])
        let links = (world.data.objects[key]?.values[name] ?? .null).links
        guard !links.isEmpty else { return }
        let place = values.random.below(links.count)
        guard let crate = name == "crate" ? spot.crate : spot.crates[place] else { return }
        let property = values.random.pick(world.data.types["WorldCrate"]!.properties)
        let value = values.value(property, world.data)
        world.change(property.name, of: links[place], to: value) {
            switch (property.name, value) {
            case ("weight", .int(let weight)): crate.weight = weight
            case ("label", .string(let label)): crate.label = label
            case ("marks", .list(let marks)):
                crate.marks.removeAll()
                crate.marks.append(
                    objectsIn: marks.compactMap {
                        if case .int(let mark) = $0 { mark } else { nil }
                    })
            case ("spot", let value):
                crate.spot = value.links.first.flatMap { world.handle($0) as? WorldSpot }
            default: crate.weight = nil
            }
        }
    }

    /// Changes elements of a collection.
    private func changeCollection() {
        guard let key = pick("WorldOwner"), let owner = world.handle(key) as? WorldOwner else {
            return
        }
        let old = world.data.objects[key]!.values
        if values.random.chance(30) { return changeMap(owner, key) }
        let isOfLinks = values.random.chance(60)
        let name = isOfLinks ? "spots" : "ints"
        guard case .list(var elements)? = old[name] else { return }
        let place = values.random.below(elements.count + 1)
        switch values.random.below(4) {
        case 0 where elements.count > 1:
            let (from, to) = (
                values.random.below(elements.count), values.random.below(elements.count)
            )
            elements.insert(elements.remove(at: from), at: to)
            world.change(name, of: key, to: .list(elements)) {
                isOfLinks
                    ? owner.spots.move(from: from, to: to) : owner.ints.move(from: from, to: to)
            }
        case 1 where place < elements.count:
            elements.remove(at: place)
            world.change(name, of: key, to: .list(elements)) {
                isOfLinks ? owner.spots.remove(at: place) : owner.ints.remove(at: place)
            }
        default:
            guard let spot = pick("WorldSpot") else { return }
            let number = values.random.below(4)
            let isReplaced = place < elements.count && values.random.chance(40)
            let element: WorldValue = isOfLinks ? .link(spot) : .int(number)
            if isReplaced { elements[place] = element } else { elements.insert(element, at: place) }
            world.change(name, of: key, to: .list(elements)) {
                let handle = world.handle(spot) as! WorldSpot
                switch (isOfLinks, isReplaced) {
                case (true, true): owner.spots[place] = handle
                case (true, false): owner.spots.insert(handle, at: place)
                case (false, true): owner.ints[place] = number
                case (false, false): owner.ints.insert(number, at: place)
                }
            }
        }
    }

    private func changeMap(_ owner: WorldOwner, _ key: WorldKey) {
        guard case .dictionary(var entries)? = world.data.objects[key]?.values["spotMap"] else {
            return
        }
        let name = values.random.pick(WorldGenerator.keys)
        if values.random.chance(30) {
            entries[name] = nil
            world.change("spotMap", of: key, to: .dictionary(entries)) {
                owner.spotMap.removeObject(for: name)
            }
        } else {
            let spot = pick("WorldSpot")
            entries[name] = spot.map { .link($0) } ?? .null
            world.change("spotMap", of: key, to: .dictionary(entries)) {
                owner.spotMap[name] = .some(spot.flatMap { world.handle($0) as? WorldSpot })
            }
        }
    }

    // MARK: Observing

    private func follow() {
        var made: FollowedThing?
        for _ in 0..<20 where made == nil {
            switch values.random.below(12) {
            case 0, 1: made = followObject()
            case 2: made = followValues()
            case 3: made = followMap()
            case 4: made = followSections()
            case 5: made = followCrates()
            default: made = followResults()
            }
        }
        if let made { followed.append(made) }
    }

    private func paths(_ type: String) -> [[String]]? {
        if values.random.chance(40) { return nil }
        var generator = ObservedPathGenerator(random: values.random, types: world.data.types)
        defer { values.random = generator.random }
        return generator.paths(type)
    }

    private func followObject() -> FollowedThing? {
        guard let key = pick(values.random.pick(["WorldSpot", "WorldOwner", "WorldPier"])),
            let object = world.handle(key)
        else { return nil }
        // No path at all would stand for all of them.
        let paths = paths(key.type).flatMap { $0.isEmpty ? nil : $0 }
        return FollowedObject(self, paths, key, object)
    }

    private func followCrates() -> FollowedThing? {
        guard let key = pick("WorldSpot"), let spot = world.handle(key) as? WorldSpot else {
            return nil
        }
        return FollowedObjects.crates(self, paths("WorldCrate"), key, spot)
    }

    private func followResults() -> FollowedThing? {
        let source = QueryModelRun.source(&values.random, world)
        var generator = PredicateGenerator(seed: values.random.next(), world)
        var expression = generator.expression(source.type)
        if values.random.chance(15) { expression = QueryExpression(.constant(true), []) }
        if source.isUnordered { expression.descriptors = [] }
        return try? FollowedObjects.results(self, paths(source.type), source, expression)
    }

    private func followValues() -> FollowedThing? {
        guard let key = pick("WorldOwner"), let owner = world.handle(key) as? WorldOwner else {
            return nil
        }
        func made<Element: RealmCollectionValue>(
            _ name: String, _ values: Results<Element>, _ isUnordered: Bool = false
        ) -> FollowedThing {
            FollowedValues(self, key, name, values, isUnordered: isUnordered)
        }
        switch values.random.below(8) {
        case 0: return made("ints", owner.ints._results)
        case 1: return made("ints", owner.ints.sorted(ascending: false), true)
        case 2: return made("texts", owner.texts._results)
        case 3: return made("anythings", owner.anythings._results)
        case 4: return made("reals", owner.reals._results)
        case 5: return made("intSet", owner.intSet._results, true)
        case 6: return made("textSet", owner.textSet._results, true)
        default: return made("dates", owner.dates._results)
        }
    }

    private func followMap() -> FollowedThing? {
        guard let key = pick("WorldOwner"), let owner = world.handle(key) as? WorldOwner else {
            return nil
        }
        switch values.random.below(4) {
        case 0: return FollowedMap(self, nil, key, "realMap", owner.realMap)
        case 1: return FollowedMap(self, nil, key, "textMap", owner.textMap)
        case 2: return FollowedMap(self, nil, key, "anyMap", owner.anyMap)
        default:
            return FollowedMap(self, paths("WorldSpot"), key, "spotMap", owner.spotMap)
        }
    }

    private func followSections() -> FollowedThing? {
        var results = world.realm.objects(WorldSpot.self)
        if values.random.chance(40) { results = results.where { $0.size < 4 } }
        let (paths, isUp) = (paths("WorldSpot"), values.random.chance(50))
        switch values.random.below(4) {
        case 0:
            return FollowedSections(
                "flag", self, paths, results.sectioned(by: \.flag, ascending: isUp))
        case 1:
            return FollowedSections(
                "size", self, paths, results.sectioned(by: \.size, ascending: isUp))
        case 2:
            return FollowedSections(
                "name", self, paths, results.sectioned(by: \.nameOrNil, ascending: isUp))
        default:
            return FollowedSections(
                "block", self, paths,
                results.sectioned(
                    by: { $0.size & 1 }, sortDescriptors: [SortDescriptor(keyPath: "name")]))
        }
    }
}

extension WorldValue {
    /// Whether a list or dictionary is in the value.
    fileprivate var hasCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }
}
