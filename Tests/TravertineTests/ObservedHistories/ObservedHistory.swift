import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// One history: a world that is changed by two realms, and what is observed of it by one of them.
final class ObservedHistory {
    /// What the observing realm shows.
    var version: HistoryVersion
    let world: World
    let watching: Realm
    let other: Realm
    let seed: UInt64
    var values: WorldGenerator
    var rewriteCounts: [WorldKey: [String: Int]] = [:]
    var followed: [FollowedThing] = []
    /// What did not agree, for a test to compare with nothing.
    private(set) var problems: [String] = []
    /// How many changes were reported, and how many of them were followed without a query.
    private(set) var reportCount = 0
    private(set) var followedCount = 0

    init(seed: UInt64, _ schema: WorldSchema = WorldModels.schema) throws {
        self.seed = seed
        values = WorldGenerator(seed: seed)
        world = try World(schema)
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

    /// One of the objects of a type.
    func pick(_ type: String) -> WorldKey? {
        let keys = world.data.keys(of: type)
        return keys.isEmpty ? nil : values.random.pick(keys)
    }

    /// One of the objects, with a property of its type that fulfils a condition.
    func pick(_ condition: (WorldProperty) -> Bool) -> (WorldKey, WorldProperty)? {
        guard let key = pick(values.random.pick(WorldGenerator.common(world.data))) else {
            return nil
        }
        let properties = world.data.types[key.type]!.properties.filter(condition)
        return properties.isEmpty ? nil : (key, values.random.pick(properties))
    }
}
