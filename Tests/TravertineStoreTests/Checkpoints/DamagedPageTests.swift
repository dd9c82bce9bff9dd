import Foundation
import SegmentLog
import SimulatedDisk
import Synchronization
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What a store does about index pages that went bad under it (P13).
@Suite struct DamagedPageTests {
    private let machine = SimulatedMachine(seed: 17)
    private let events = EventLog()

    private func open(_ readMode: ReadMode = .mapped) throws -> Store {
        let events = events
        var options = machine.options(readMode)
        options.eventHandler = { events.add($0) }
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private var pageFiles: [String] {
        machine.disk.paths.filter { $0.hasSuffix(".pages") }
    }

    private func key(_ number: Int) -> String { "key \(number % 10) \(number)" }

    /// A closed store of two keyspaces with several pages each; all pages are in its last file.
    private func makeStore() throws {
        let store = try open()
        try store.write { transaction in
            let second = try transaction.keyspace(named: "second")
            for number in 0..<800 {
                try transaction.put("\(number)", forKey: key(number))
                try transaction.put("\(number)", forKey: key(number), in: second)
            }
        }
        try store.close()
    }

    private func keyspaces(_ store: Store) throws -> [Keyspace] {
        [.default, try #require(try store.keyspace(named: "second"))]
    }

    /// How many keys can't be read because of a damaged page.
    private func failureCount(_ store: Store) throws -> Int {
        var count = 0
        for keyspace in try keyspaces(store) {
            for number in 0..<800 {
                do throws(StoreError) {
                    let value = try store.get(key(number), in: keyspace)
                    #expect(value == Array("\(number)".utf8))
                } catch {
                    #expect(error.isDamagedPage)
                    count += 1
                }
            }
        }
        return count
    }

    private func corruptPages(_ path: String) throws {
        let pageCount = (try #require(machine.disk.contents(of: path)).count - 4096) / 2048
        #expect(pageCount > 10)
        // Leaves of either keyspace; pages are in the order of the keyspaces and keys.
        for page in [1, 3, pageCount - 4] {
            machine.disk.corrupt(path, at: 4096 + page * 2048 + 100)
        }
    }

    @Test(
        "reads of a damaged page throw, the index is rebuilt after them, and nothing is lost",
        arguments: [ReadMode.mapped, .verified])
    func rebuilding(readMode: ReadMode) throws {
        try makeStore()
        let damagedFile = try #require(pageFiles.last)
        try corruptPages(damagedFile)
        let store = try open(readMode)
        let old = try store.snapshot()
        #expect(try failureCount(store) > 20)
        machine.executor.drain()
        #expect(try failureCount(store) == 0)
        #expect(events.rebuiltKeyspaces.first?.count == 2)
        // An older snapshot goes on to refer to the page.
        let code = errorCode { for number in 0..<800 { _ = try old.get(key(number)) } }
        #expect(code == .damaged)
        withExtendedLifetime(old) {}
        try store.write { try $0.put("new", forKey: "new") }
        machine.executor.drain()
        #expect(events.rebuiltKeyspaces.count == 1)
        try store.close()
        #expect(!pageFiles.contains(damagedFile))
        #expect(
            try StoreVerifier.verify(
                path: SimulatedMachine.path, environment: machine.environment
            ).worst == nil)
        let again = try open(readMode)
        #expect(again.openingReport.source == .newestCheckpoint)
        #expect(again.readsAsText("new") == "new")
        #expect(try failureCount(again) == 0)
        try again.close()
    }

    @Test("a write that meets a damaged page throws and succeeds after the rebuilding")
    func writing() throws {
        try makeStore()
        try corruptPages(try #require(pageFiles.last))
        let store = try open()
        func putAll() throws {
            try store.write { transaction in
                for number in 0..<800 { try transaction.put("w", forKey: key(number)) }
            }
        }
        #expect { try putAll() } throws: { ($0 as? StoreError)?.isDamagedPage == true }
        machine.executor.drain()
        try putAll()
        #expect(store.readsAsText(key(3)) == "w")
        try store.close()
        let again = try open()
        #expect(again.readsAsText(key(799)) == "w")
        #expect(try again.snapshot().count() == 800)
        try again.close()
    }

    @Test("a damaged page of a derived keyspace throws until the store is opened again")
    func derivedKeyspace() throws {
        let first = try open()
        try first.write { transaction in
            let derived = try transaction.keyspace(named: "by number", kind: .derived)
            for number in 0..<800 {
                try transaction.put("\(number)", forKey: key(number))
                _ = try Array(key(number).utf8).withBytes { (key) throws(StoreError) in
                    try transaction.indexPut(key, value: UInt64(number), in: derived.identifier)
                }
            }
        }
        // Two checkpoints, so that the empty index is none of them any more.
        try first.checkpoint()
        try first.write { try $0.put("1", forKey: "z") }
        try first.close()
        let path = pageFiles[0]
        let pageCount = (try #require(machine.disk.contents(of: path)).count - 4096) / 2048
        machine.disk.corrupt(path, at: 4096 + (pageCount - 3) * 2048 + 100)
        let store = try open()
        let id = try #require(store.allKeyspaces.first { $0.name == "by number" }).identifier
        func readDerived() throws {
            let access = try store.snapshot().access
            var cursor = access.cursor(in: id)
            var isValid = try cursor.seekToFirst()
            while isValid { isValid = try cursor.next() }
        }
        #expect(errorCode { try readDerived() } == .damaged)
        machine.executor.drain()
        #expect(events.rebuildingFailures.map(\.code) == [.damaged])
        #expect(errorCode { try readDerived() } == .damaged)
        #expect(store.readsAsText(key(5)) == "5")
        // The checkpoint at the end meets the page too.
        try store.write { try $0.put("x", forKey: "y") }
        #expect(errorCode { try store.close() } == .damaged)
        let again = try open()
        #expect(again.openingReport.source == .fullReplay)
        #expect(again.openingReport.invalidDerivedKeyspaces == [id.rawValue])
        #expect(again.readsAsText("y") == "x")
        try again.close()
    }

    // MARK: C6 and C7

    /// A store that is open, with a damaged page that nobody has read, and most others dead.
    private func openWithHiddenDamage() throws -> Store {
        try makeStore()
        do {
            let store = try open()
            try store.write { try $0.put("1", forKey: key(1)) }
            try store.close()
        }
        machine.disk.corrupt(pageFiles[0], at: 4096 + 5 * 2048 + 100)
        let store = try open()
        store.damage.setHandler { _, _ in }
        let keyspaces = try keyspaces(store)
        let readable = try (0..<800).filter { number in
            try keyspaces.allSatisfy {
                do {
                    return try store.get(key(number), in: $0) != nil
                } catch let error as StoreError where error.isDamagedPage {
                    return false
                }
            }
        }
        #expect(readable.count < 800)
        // Most of the old file's pages die, so that the live ones, the bad one too, move.
        try store.write { transaction in
            for number in readable {
                for keyspace in keyspaces {
                    try transaction.put("\(number)", forKey: key(number), in: keyspace)
                }
            }
        }
        return store
    }

    @Test("a checkpoint that meets a damaged page throws and changes nothing (C6)")
    func checkpointMeetsDamage() throws {
        do {
            let store = try openWithHiddenDamage()
            let before = store.checkpoints.manifest.checkpoints
            #expect { try store.checkpoint() } throws: {
                ($0 as? StoreError)?.isDamagedPage == true
            }
            #expect(store.checkpoints.manifest.checkpoints == before)
            machine.crashAndRestart()
        }
        let again = try open()
        #expect(again.openingReport.source == .newestCheckpoint)
        #expect(try failureCount(again) > 0)
        machine.executor.drain()
        #expect(try failureCount(again) == 0)
        try again.close()
    }

    @Test("checkpoints stay in the manifest when the log can't replace them")
    func damagedLogToo() throws {
        try makeStore()
        let store = try open()
        try store.write { try $0.put("1", forKey: key(1)) }
        try store.close()
        try corruptPages(pageFiles[0])
        let segment = try #require(machine.disk.paths.first { $0.hasSuffix(".segment") })
        // The first batch: its records stay readable, but the log does not.
        machine.disk.corrupt(segment, at: 128 + 24)
        for _ in 0..<2 {
            let store = try open()
            let before = store.checkpoints.manifest.checkpoints
            let failures = try failureCount(store)
            #expect(failures > 0 && failures < 1600)
            machine.executor.drain()
            #expect(events.rebuildingFailures.last?.code == .damaged)
            #expect(try failureCount(store) == failures)
            #expect(store.checkpoints.manifest.checkpoints == before)
            try store.close()
        }
    }

    @Test("a poisoned store is not rebuilt: it syncs and replaces nothing, and goes on reading")
    func poisonedStore() throws {
        try makeStore()
        try corruptPages(try #require(pageFiles.last))
        let store = try open()
        try store.write { try $0.put("1", forKey: "later") }
        try store.write(durability: .unsynced) { try $0.put("later", forKey: "later") }
        for call in 0..<8 { machine.disk.setFault(.inputOutput, atCall: call) }
        #expect(errorCode { try store.sync() } == .commitOutcomeUnknown)
        machine.disk.clearFaults()
        try #expect(store.statistics.isPoisoned)
        let manifest = store.checkpoints.manifest
        let failures = try failureCount(store)
        let callCount = machine.disk.callCount
        machine.executor.drain()
        #expect(events.rebuildingFailures.map(\.code) == [.poisoned])
        #expect(!machine.calls(since: callCount).contains { $0.hasPrefix("sync") })
        #expect(store.checkpoints.manifest == manifest)
        #expect(try failureCount(store) == failures)
        #expect(store.readsAsText("later") == "later")
    }

    @Test("a damaged page that only an old snapshot needs leaves a checkpoint in the manifest")
    func oldSnapshot() throws {
        try makeStore()
        let store = try open()
        let old = try store.snapshot()
        let damagedFile = try #require(pageFiles.last)
        machine.disk.corrupt(damagedFile, at: 4096 + 1 * 2048 + 100)
        store.damage.setHandler { _, _ in }
        var damaged: [Int] = []
        for number in 0..<800 {
            do throws(StoreError) {
                _ = try old.get(key(number))
            } catch {
                damaged.append(number)
            }
        }
        #expect(!damaged.isEmpty)
        store.watchForDamage()
        _ = try failureCount(store)
        machine.executor.drain()
        #expect(try failureCount(store) == 0)
        let before = store.checkpoints.manifest.checkpoints
        #expect(before.first?.file != nil)
        #expect(errorCode { _ = try old.get(key(damaged[0])) } == .damaged)
        machine.executor.drain()
        #expect(store.checkpoints.manifest.checkpoints.first == before.first)
        withExtendedLifetime(old) {}
        try store.close()
    }

    @Test("an opening that can't read a page file removes none (C7)")
    func unreadableFile() throws {
        try makeStore()
        let store = try open()
        try store.write { try $0.put("1", forKey: key(1)) }
        try store.close()
        let before = pageFiles
        #expect(before.count == 2)
        // The newest checkpoint's own file can't be read once, perhaps for a passing reason.
        machine.disk.corrupt(try #require(before.last), at: 20)
        do {
            let second = try open()
            #expect(second.openingReport.source == .previousCheckpoint)
            #expect(pageFiles == before)
            machine.crashAndRestart()
        }
        machine.disk.corrupt(try #require(before.last), at: 20)
        let third = try open()
        #expect(third.openingReport.source == .newestCheckpoint)
        #expect(third.readsAsText(key(1)) == "1")
        try third.close()
    }

    @Test("while a kept checkpoint's needs are unknown, a checkpoint removes no page file")
    func unknownNeeds() throws {
        try makeStore()
        let first = try open()
        try first.write { try $0.put("1", forKey: key(1)) }
        try first.close()
        // The older checkpoint is not looked at when the newer one serves.
        machine.disk.corrupt(pageFiles[0], at: 4095)
        let before = pageFiles
        let store = try open()
        #expect(pageFiles == before)
        try store.close()
    }
}

extension EventLog {
    var rebuiltKeyspaces: [[UInt32]] {
        all.compactMap { if case .rebuilt(let keyspaces) = $0 { keyspaces } else { nil } }
    }

    var rebuildingFailures: [StoreError] {
        all.compactMap { if case .rebuildingFailed(let error) = $0 { error } else { nil } }
    }
}
