import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// How much is kept, and that answers do not depend on it.
@Suite("The cache of columns")
struct ColumnCacheTests {
    private func open(_ directory: TemporaryDirectory, budget: Int) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [CachedReading.self], durability: .unsynced)
        configuration.queryMemoryBudget = budget
        return try Realm(configuration: configuration)
    }

    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for number in 0..<count {
                realm.create(
                    CachedReading.self, value: ["value": number % 997, "level": Double(number % 7)])
            }
        }
    }

    @Test(
        "what is kept stays within the budget, and answers are right with any",
        arguments: [0, 1, 4096, 60_000, 300_000, 64 << 20])
    func budgets(budget: Int) throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory, budget: budget)
        try fill(realm, 20_000)
        let cache = realm.session.shared.columns
        let readings = realm.objects(CachedReading.self)
        for round in 0..<3 {
            for constant in [0, 500, 996, 2000] {
                let expected = (0..<20_000).count { $0 % 997 < constant }
                #expect(readings.where { $0.value < constant }.count == expected)
                #expect(
                    readings.where { $0.level == Double(constant % 7) }.count
                        == (0..<20_000).count { $0 % 7 == constant % 7 })
                #expect(cache.byteCount <= budget, "budget \(budget), round \(round)")
            }
            let sum: Int = readings.sum(of: \.value)
            #expect(sum == (0..<20_000).reduce(0) { $0 + $1 % 997 })
            #expect(cache.byteCount <= budget, "budget \(budget), round \(round)")
        }
        if budget == 0 { #expect(!cache.isUsed && cache.byteCount == 0) }
        if budget == 64 << 20 { #expect(cache.byteCount > 0) }
    }

    @Test("a type that nobody scans has nothing in the cache")
    func unscanned() throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory, budget: 64 << 20)
        try fill(realm, 2000)
        try realm.write { for reading in realm.objects(CachedReading.self) { reading.value += 1 } }
        #expect(realm.objects(CachedReading.self).count == 2000)
        #expect(realm.objects(CachedReading.self).first?.value == 1)
        #expect(realm.session.shared.columns.byteCount == 0)
        // Only a position needs counts of rows.
        #expect(realm.objects(CachedReading.self)[700].value == 701)
        #expect(realm.session.shared.columns.byteCount > 0)
    }

    @Test("commits do not fill the cache with columns of nodes that were freed")
    func freedNodes() throws {
        let directory = TemporaryDirectory()
        let realm = try open(directory, budget: 64 << 20)
        try fill(realm, 2000)
        let cache = realm.session.shared.columns
        let readings = realm.objects(CachedReading.self)
        var random = SeededRandom(seed: 18)
        func commit(_ count: Int) throws {
            for _ in 0..<count {
                let reading = readings[random.below(2000)]
                try realm.write { reading.value = random.below(997) }
                let constant = random.below(997)
                #expect(
                    readings.where { $0.value < constant }.count
                        == readings.count { $0.value < constant })
            }
        }
        try commit(1)
        let first = cache.columnCount
        #expect(first > 0)
        try commit(300)
        // A commit copies a leaf; which memory it gets changes.
        #expect(cache.columnCount <= 2 * first + 16, "\(first) at first")
    }

    @Test("columns of pages that lie beside each other share all of the budget")
    func pages() throws {
        let directory = TemporaryDirectory()
        try fill(try open(directory, budget: 0), 20_000)
        func count(withBudget budget: Int) throws -> (columns: Int, byteCount: Int) {
            let realm = try open(directory, budget: budget)
            let found = realm.objects(CachedReading.self).where { $0.value < 500 }.count
            #expect(found == (0..<20_000).count { $0 % 997 < 500 })
            let cache = realm.session.shared.columns
            return (cache.columnCount, cache.byteCount)
        }
        let all = try count(withBudget: 64 << 20)
        #expect(all.columns > 60)
        // Of a sixteenth of the budget less than a fifth would be left.
        let some = try count(withBudget: 10 * all.byteCount)
        #expect(some.columns == all.columns)
    }

    @Test("threads that count while another writes find what their version has")
    func threads() async throws {
        let directory = TemporaryDirectory()
        let writer = try open(directory, budget: 200_000)
        try fill(writer, 5000)
        let path = directory.url
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var configuration = Realm.Configuration(
                        fileURL: path, objectTypes: [CachedReading.self], durability: .unsynced)
                    configuration.queryMemoryBudget = 200_000
                    var isRight = true
                    for round in 0..<60 {
                        guard let realm = try? Realm(configuration: configuration) else {
                            return false
                        }
                        realm.refresh()
                        let readings = realm.objects(CachedReading.self)
                        let constant = (round * 37 + thread) % 997
                        let found = readings.where { $0.value < constant }.count
                        let sum: Int = readings.sum(of: \.value)
                        let scanned = QueryPlanning.$isScanOnly.withValue(true) {
                            (
                                readings.where { $0.value < constant }.count,
                                readings.sum(of: \.value) as Int
                            )
                        }
                        if (found, sum) != scanned { isRight = false }
                        if round % 5 == thread {
                            try? realm.write { readings[round * 50].value += 1 }
                        }
                    }
                    return isRight
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}

class CachedReading: Object {
    @Persisted var value: Int
    @Persisted var level: Double
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
