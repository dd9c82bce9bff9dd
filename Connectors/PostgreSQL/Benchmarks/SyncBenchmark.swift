import ArgumentParser
import Foundation
import PostgreSQLClient
import Synchronization
import Travertine

/// Writes objects at a rate, while `travertine sync` copies them, and measures how long each one
/// takes to be seen on the server.
@main
struct SyncBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-benchmark",
        abstract: "Measure how fast, and how late, changes of a realm come to the server.",
        discussion: """
            Start it, and beside it:

              travertine sync sync-benchmark.realm --to URL
            """)

    @Option(help: "The server.")
    var to: String

    @Option(help: "The realm; made anew.")
    var realm = "sync-benchmark.realm"

    @Option(help: "Changes in a second; 0 for as many as there can be.")
    var rate = 2000

    @Option(help: "For so many seconds.")
    var seconds = 20

    @Option(help: "Changes in a transaction.")
    var batch = 20

    func run() throws {
        try? FileManager.default.removeItem(atPath: realm)
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: realm, isDirectory: true), objectTypes: [Reading.self]
            ))
        let total = seconds * (rate == 0 ? 200_000 : rate)
        let watcher = Watcher(to, total)
        try realm.write { realm.add(Reading(value: ["sequence": 0])) }
        watcher.waitForFirst()
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        var written = 0
        while clock.now < end, written + batch < total {
            try realm.write {
                for _ in 0..<batch {
                    written += 1
                    realm.add(
                        Reading(value: [
                            "sequence": written, "sensor": "sensor \(written % 100)",
                            "celsius": Double(written % 400) / 10, "at": Date(),
                        ]))
                }
            }
            let now = clock.now
            watcher.note(written, now)
            if rate > 0 {
                let due = start + .seconds(Double(written) / Double(rate))
                if due > now { Thread.sleep(forTimeInterval: (due - now) / .seconds(1)) }
            }
        }
        let writing = (clock.now - start) / .seconds(1)
        watcher.wait(for: written)
        let all = (clock.now - start) / .seconds(1)
        let delays = watcher.delays.sorted()
        func percentile(_ share: Double) -> String {
            guard !delays.isEmpty else { return "none" }
            let value = delays[min(delays.count - 1, Int(Double(delays.count) * share))]
            return String(format: "%.1f ms", value * 1000)
        }
        print(
            "\(written) changes, written in \(String(format: "%.2f", writing)) s "
                + "(\(Int(Double(written) / writing)) in a second), on the server after "
                + "\(String(format: "%.2f", all)) s (\(Int(Double(written) / all)) in a second)")
        print(
            "delay: median \(percentile(0.5)), p90 \(percentile(0.9)), p99 \(percentile(0.99)), "
                + "greatest \(percentile(1))")
    }
}

/// A measured value.
private class Reading: Object {
    @Persisted(primaryKey: true) var sequence: Int
    @Persisted var sensor: String
    @Persisted var celsius: Double
    @Persisted var at: Date
}

/// Looks again and again how far the server has come.
private final class Watcher: @unchecked Sendable {
    private let lock = NSLock()
    /// When each transaction was durable, by its last number, in order.
    private var waiting: [(sequence: Int, at: ContinuousClock.Instant)] = []
    private var next = 0
    private var found: [Double] = []
    private let seen = Atomic<Int>(-1)

    init(_ url: String, _ count: Int) {
        let thread = Thread { [self] in
            while true {
                do {
                    let connection = try Connection(
                        try ConnectionParameters(url), options: ConnectionOptions())
                    while true {
                        let row = try connection.row(#"SELECT max(sequence) FROM "Reading""#)
                        if let last = try row?.int64(0) { take(Int(last)) }
                        Thread.sleep(forTimeInterval: 0.002)
                    }
                } catch {
                    Thread.sleep(forTimeInterval: 0.1)
                }
            }
        }
        thread.start()
    }

    var delays: [Double] { lock.withLock { found } }

    func note(_ sequence: Int, _ now: ContinuousClock.Instant) {
        lock.withLock { waiting.append((sequence, now)) }
    }

    private func take(_ last: Int) {
        let now = ContinuousClock.now
        lock.withLock {
            while next < waiting.count, waiting[next].sequence <= last {
                found.append((now - waiting[next].at) / .seconds(1))
                next += 1
            }
        }
        seen.store(last, ordering: .relaxed)
    }

    func waitForFirst() {
        FileHandle.standardError.write(Data("waiting for `travertine sync` …\n".utf8))
        while seen.load(ordering: .relaxed) < 0 { Thread.sleep(forTimeInterval: 0.01) }
    }

    func wait(for sequence: Int) {
        while seen.load(ordering: .relaxed) < sequence { Thread.sleep(forTimeInterval: 0.001) }
    }
}
