import Dispatch
import Foundation
import GRDB
import Measurement

/// GRDB's `ValueObservation` of the ids that a statement finds.
final class GRDBObservingEngine: ObservingEngine {
    private let base: GRDBQueryEngine
    private var observations: [AnyDatabaseCancellable] = []
    private let queue = DispatchQueue(label: "reports")
    private let reports = DispatchSemaphore(value: 0)
    private var pool: DatabasePool { base.pool }

    init(directory: String) throws { base = try GRDBQueryEngine(directory: directory) }

    func close() throws { try base.close() }

    func insert(_ ids: Range<Int>) throws { try base.insert(ids) }

    func finishLoading() throws { try base.finishLoading() }

    func setDurable(_ isDurable: Bool) throws {
        try pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")")
        }
    }

    private static func statement(_ query: ObservedQuery) -> (String, StatementArguments) {
        switch query {
        case .age(let age): ("SELECT id FROM resident WHERE age = ?", [age])
        case .name(let name): ("SELECT id FROM resident WHERE name = ?", [ResidentFacts.name(name)])
        case .sortedByRank: ("SELECT id FROM resident ORDER BY rank, id", [])
        case .friendOfFriend(let name):
            (
                "SELECT r.id FROM resident f2 JOIN resident f1 ON f1.friendId = f2.id "
                    + "JOIN resident r ON r.friendId = f1.id WHERE f2.name = ?",
                [ResidentFacts.name(name)]
            )
        case .all: ("SELECT id, points FROM resident", [])
        }
    }

    func observe(_ query: ObservedQuery) throws {
        let (sql, arguments) = Self.statement(query)
        let observation = ValueObservation.tracking { database in
            let statement = try database.cachedStatement(sql: sql)
            var ids: [Int] = []
            let cursor = try Row.fetchCursor(statement, arguments: arguments)
            while let row = try cursor.next() { ids.append(row[0]) }
            return ids
        }
        let reports = reports
        observations.append(
            observation.start(
                in: pool, scheduling: .async(onQueue: queue),
                onError: { print("ValueObservation: \($0)") }, onChange: { _ in reports.signal() }))
        reports.wait()
    }

    func endObservations() { observations = [] }

    func change(_ ids: [Int], _ change: ResidentChange) throws {
        let (column, value): (String, any DatabaseValueConvertible) =
            switch change {
            case .age(let age): ("age", age)
            case .name(let name): ("name", ResidentFacts.name(name))
            case .points(let points): ("points", points)
            case .rank(let rank): ("rank", rank)
            }
        // Observations that began beside a write are notified once more than there are writes.
        queue.sync {}
        while reports.wait(timeout: .now()) == .success {}
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE resident SET \(column) = ? WHERE id = ?")
            for id in ids { try statement.execute(arguments: [value, id]) }
        }
    }

    func awaitReports(_ count: Int) throws {
        // Every observation of a changed column is notified, whether its rows changed or not.
        for _ in 0..<(count == 0 ? 0 : observations.count) { reports.wait() }
    }

    func readKeys() throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT id FROM resident")
            var count = 0
            let cursor = try Row.fetchCursor(statement)
            while let row = try cursor.next() { count += (row[0] as Int) >= 0 ? 1 : 0 }
            return count
        }
    }

    func sumAges(threadCount: Int) throws -> [Int] {
        let pool = pool
        let sums = UnsafeMutableBufferPointer<Int>.allocate(capacity: threadCount)
        defer { sums.deallocate() }
        nonisolated(unsafe) let shared = sums
        DispatchQueue.concurrentPerform(iterations: threadCount) { index in
            shared[index] =
                (try? pool.read { database in
                    let statement = try database.cachedStatement(sql: "SELECT age FROM resident")
                    var sum = 0
                    let cursor = try Row.fetchCursor(statement)
                    while let row = try cursor.next() { sum += row[0] as Int }
                    return sum
                }) ?? -1
        }
        return Array(sums)
    }

    func prepareMigration() throws -> Int? { ProcessMemory.anonymousByteCount() }

    func migrate() throws -> Int? {
        try pool.write { try $0.execute(sql: "UPDATE resident SET points = points + 1") }
        return ProcessMemory.anonymousByteCount()
    }
}
