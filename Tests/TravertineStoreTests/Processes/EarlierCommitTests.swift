import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Readers of earlier commits: each commit that the log still has as a whole is shown as it was,
/// and another one is refused, after any history.
@Suite("Readers of earlier commits")
struct EarlierCommitTests {
    private typealias Contents = [UInt64: [UInt8]]

    /// A store in a simulated machine, and what it held after each commit.
    private final class History {
        let machine: SimulatedMachine
        /// The files as another process sees them.
        private let beside: SimulatedFileSystem
        var store: Store
        var random: SeededRandom
        var commits: [(lsn: UInt64, contents: Contents)] = [(0, [:])]

        init(seed: UInt64) throws {
            machine = SimulatedMachine(seed: seed)
            random = SeededRandom(seed: seed)
            beside = machine.disk.startBeside()
            store = try Self.open(machine)
        }

        static func open(_ machine: SimulatedMachine) throws -> Store {
            let store = try Store.open(
                at: SimulatedMachine.path, options: machine.options(segmentByteCount: 8 << 10))
            store.pauseCompaction()
            return store
        }

        /// Commits a few changes.
        func commit() throws {
            var contents = commits[commits.count - 1].contents
            let transaction = try store.beginWrite()
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let key = UInt64.random(in: 0..<40, using: &random)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try transaction.delete(key)
                    contents[key] = nil
                } else {
                    let count = [3, 90, 700].randomElement(using: &random) ?? 3
                    let value = [UInt8](
                        repeating: UInt8.random(in: 0...255, using: &random), count: count)
                    try transaction.put(value, forKey: key)
                    contents[key] = value
                }
            }
            try transaction.commit()
            commits.append((store.durableLSN, contents))
        }

        /// What was committed up to an LSN.
        func contents(asOf lsn: UInt64) -> Contents {
            commits.last { $0.lsn <= lsn }?.contents ?? [:]
        }

        /// A reader in another process.
        func reader(asOf lsn: UInt64) throws -> StoreReader {
            var options = machine.options(segmentByteCount: 8 << 10)
            options.environment.fileSystem = beside
            return try StoreReader.open(at: SimulatedMachine.path, options: options, asOf: lsn)
        }

        /// What a reader of a commit shows; nil where it is not kept.
        func read(asOf lsn: UInt64) throws -> Contents? {
            var opened: StoreReader?
            let code = errorCode { opened = try reader(asOf: lsn) }
            guard let opened else {
                #expect(code == .commitNotKept)
                return nil
            }
            let found = try contents(of: opened)
            #expect(try opened.refresh() == false)
            opened.close()
            return found
        }

        private func contents(of reader: StoreReader) throws -> Contents {
            let snapshot = try reader.snapshot()
            var found: Contents = [:]
            for key in UInt64(0)..<40 { found[key] = try snapshot.get(key) }
            return found
        }

        /// How many of the commits up to now are kept, each of which is as it was.
        func check(_ comment: Comment) throws -> Int {
            var keptCount = 0
            for lsn in 0...store.durableLSN {
                guard let found = try read(asOf: lsn) else { continue }
                #expect(found == contents(asOf: lsn), "\(comment), commit \(lsn)")
                keptCount += 1
            }
            #expect(try read(asOf: store.durableLSN) != nil, comment)
            return keptCount
        }
    }

    @Test("each commit is shown as it was while compaction has removed nothing", arguments: 1...4)
    func whole(seed: UInt64) throws {
        let history = try History(seed: seed)
        for number in 1...60 {
            try history.commit()
            if number % 25 == 0 { try history.store.checkpoint() }
        }
        #expect(try history.check("seed \(seed)") == Int(history.store.durableLSN) + 1)
        try history.store.close()
        history.store = try History.open(history.machine)
        #expect(try history.check("seed \(seed), again") == Int(history.store.durableLSN) + 1)
    }

    @Test(
        "after any history a commit is as it was, or is refused",
        arguments: SampledNumbers.some(8, of: UInt64(1)...25))
    func any(seed: UInt64) throws {
        let history = try History(seed: seed)
        for _ in 0..<8 {
            switch Int.random(in: 0..<5, using: &history.random) {
            case 0: try history.store.compact()
            case 1: try history.store.checkpoint()
            case 2:
                try history.store.close()
                history.store = try History.open(history.machine)
            default: break
            }
            for _ in 0..<Int.random(in: 1...30, using: &history.random) { try history.commit() }
            history.machine.executor.drain()
            let keptCount = try history.check("seed \(seed)")
            #expect(keptCount <= Int(history.store.durableLSN) + 1)
        }
        try history.store.close()
    }

    @Test("what compaction has removed is refused, and the message names compaction")
    func removed() throws {
        let history = try History(seed: 7)
        for _ in 0..<200 { try history.commit() }
        let before = history.store.durableLSN
        try history.store.checkpoint()
        try history.store.compact()
        for _ in 0..<200 { try history.commit() }
        try history.store.checkpoint()
        try history.store.compact()
        history.machine.executor.drain()
        let error = #expect(throws: StoreError.self) {
            try history.reader(asOf: before / 2)
        }
        #expect(error?.code == .commitNotKept)
        #expect(error?.message.contains("Compaction removes") == true, "\(error.debugDescription)")
    }

    @Test("damage on the way to a commit is reported as such where nothing was ever removed")
    func damaged() throws {
        let history = try History(seed: 10)
        for _ in 0..<60 { try history.commit() }
        let middle = history.commits[30].lsn
        try history.store.checkpoint()
        try history.store.checkpoint()
        let name = try #require(
            history.machine.files.map(\.name).filter { $0.hasSuffix(".segment") }.min())
        let path = SimulatedMachine.path + "/" + name
        var bytes = try #require(history.machine.disk.contents(of: path))
        bytes[300] ^= 1
        history.machine.disk.setContents(of: path, bytes)
        #expect(errorCode { _ = try history.reader(asOf: middle) } == .damaged)
    }

    @Test("a commit that is still to come is refused with the newest one")
    func toCome() throws {
        let history = try History(seed: 8)
        try history.commit()
        let newest = history.store.durableLSN
        let error = #expect(throws: StoreError.self) {
            try history.reader(asOf: newest + 1)
        }
        #expect(error?.code == .commitNotKept)
        #expect(error?.message.contains("the newest durable one is \(newest)") == true)
    }

    @Test("a reader of an earlier commit stays there, keeps its segments, and waits for none")
    func stays() throws {
        let history = try History(seed: 9)
        for _ in 0..<100 { try history.commit() }
        let middle = history.commits[50]
        let reader = try history.reader(asOf: middle.lsn)
        for _ in 0..<100 { try history.commit() }
        try history.store.checkpoint()
        try history.store.compact()
        history.machine.executor.drain()
        #expect(try !reader.refresh())
        #expect(reader.lsn == middle.lsn)
        let snapshot = try reader.snapshot()
        for key in UInt64(0)..<40 {
            #expect(try snapshot.get(key) == middle.contents[key])
        }
        #expect(errorCode { try reader.waitForCommit(after: 0, timeout: .zero) } == .misuse)
    }
}
