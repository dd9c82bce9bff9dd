import Foundation
import Measurement
import Travertine

/// Observers on the thread that writes, which is notified by `refresh()`.
final class TravertineObservingEngine: ObservingEngine {
    private let base: TravertineQueryEngine
    private var realm: Realm
    private let unsynced: Realm
    private var tokens: [NotificationToken] = []
    private var reportCount = 0

    init(directory: String) throws {
        base = try TravertineQueryEngine(directory: directory)
        realm = base.realm
        unsynced = realm
    }

    func close() throws {
        realm.invalidate()
        try base.close()
    }

    func insert(_ ids: Range<Int>) throws { try base.insert(ids) }

    func finishLoading() throws { try base.finishLoading() }

    func setDurable(_ isDurable: Bool) throws {
        var configuration = unsynced.configuration
        configuration.durability = isDurable ? .commit : .unsynced
        let queries = observed
        endObservations()
        realm = try Realm(configuration: configuration)
        for query in queries { try observe(query) }
    }

    private var observed: [ObservedQuery] = []
    private var residents: Results<Resident> { realm.objects(Resident.self) }

    func observe(_ query: ObservedQuery) throws {
        observed.append(query)
        let results: Results<Resident>
        switch query {
        case .age(let age): results = residents.where { $0.age == age }
        case .name(let name): results = residents.where { $0.name == ResidentFacts.name(name) }
        case .sortedByRank: results = residents.sorted(by: \.rank)
        case .friendOfFriend(let name):
            results = residents.where { $0.friend.friend.name == ResidentFacts.name(name) }
        case .all: results = residents
        }
        let keyPaths: [String]? = if case .all = query { ["points"] } else { [] }
        tokens.append(results.observe(keyPaths: keyPaths) { [unowned self] _ in reportCount += 1 })
        _ = realm.refresh()
        reportCount = 0
    }

    func endObservations() {
        tokens = []
        observed = []
    }

    func change(_ ids: [Int], _ change: ResidentChange) throws {
        reportCount = 0
        try realm.write {
            for id in ids {
                guard let resident = realm.object(ofType: Resident.self, forPrimaryKey: id) else {
                    continue
                }
                switch change {
                case .age(let age): resident.age = age
                case .name(let name): resident.name = ResidentFacts.name(name)
                case .points(let points): resident.points = points
                case .rank(let rank): resident.rank = rank
                }
            }
        }
    }

    func awaitReports(_ count: Int) throws {
        _ = realm.refresh()
        try require(reportCount == count, "\(reportCount) reports instead of \(count).")
    }

    func readKeys() throws -> Int {
        var count = 0
        for resident in residents where resident.id >= 0 { count += 1 }
        return count
    }

    func sumAges(threadCount: Int) throws -> [Int] {
        if threadCount == 1 { return [Self.sum(residents)] }
        let frozen = Frozen(residents)
        let sums = Sums(threadCount)
        DispatchQueue.concurrentPerform(iterations: threadCount) {
            sums.values[$0] = Self.sum(frozen.value)
        }
        return Array(sums.values)
    }

    private final class Sums: @unchecked Sendable {
        let values: UnsafeMutableBufferPointer<Int>
        init(_ count: Int) {
            values = .allocate(capacity: count)
            values.initialize(repeating: 0)
        }
        deinit { values.deallocate() }
    }

    private static func sum(_ residents: Results<Resident>) -> Int {
        var sum = 0
        for resident in residents { sum += resident.age }
        return sum
    }

    /// What is migrated: a copy, opened once before.
    private func migratedConfiguration() throws -> Realm.Configuration {
        var configuration = unsynced.configuration
        configuration.fileURL = configuration.fileURL?.deletingLastPathComponent()
            .appendingPathComponent("migrated.realm")
        return configuration
    }

    func prepareMigration() throws -> Int? {
        endObservations()
        let configuration = try migratedConfiguration()
        try unsynced.writeCopy(configuration: configuration)
        // Opening a copy reads all of it once, as opening a realm that was closed does not.
        try Realm(configuration: configuration).invalidate()
        return try open(configuration)
    }

    func migrate() throws -> Int? {
        var configuration = try migratedConfiguration()
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Resident") { old, new in
                guard let points = old?["points"] as? Int else { return }
                new?["points"] = points + 1
            }
        }
        return try open(configuration)
    }

    /// Opens a realm and closes it; returns bytes of anonymous memory in between.
    private func open(_ configuration: Realm.Configuration) throws -> Int? {
        let realm = try Realm(configuration: configuration)
        let memory = ProcessMemory.anonymousByteCount()
        realm.invalidate()
        return memory
    }
}
