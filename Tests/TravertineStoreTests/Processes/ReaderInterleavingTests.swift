import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A reader of another process that opens while the store is compacted, or removed: what the one
/// does comes between any two calls of the other (R3, R6).
@Suite struct ReaderInterleavingTests {
    private static let path = SimulatedMachine.path
    private static let keyCount: UInt64 = 60

    /// A machine with a store, most of whose segments hold nothing that lives.
    private struct Scene {
        let machine: SimulatedMachine
        let beside: SimulatedFileSystem
        let store: Store

        init(seed: UInt64 = 77) throws {
            machine = SimulatedMachine(seed: seed)
            beside = machine.disk.startBeside()
            store = try Store.open(
                at: path, options: machine.options(segmentByteCount: 8 << 10))
            store.pauseCompaction()
            for round in 0..<3 {
                for number in 0..<keyCount {
                    try store.write { transaction in
                        try transaction.put(
                            ReaderInterleavingTests.value(number, round), forKey: number)
                    }
                }
                try store.checkpoint()
            }
            machine.executor.drain()
        }

        /// The reader of the other process.
        func open(asOf lsn: UInt64? = nil) -> Result<StoreReader, StoreError> {
            var options = machine.options(segmentByteCount: 8 << 10)
            options.environment.fileSystem = beside
            return capture { [options] () throws(StoreError) in
                try StoreReader.open(at: path, options: options, asOf: lsn)
            }
        }

        /// Runs `body` before a call of a process; false if it never makes that many calls.
        func run(
            _ body: @escaping () -> Void, before fileSystem: SimulatedFileSystem, call: Int,
            during work: () -> Void
        ) -> Bool {
            var left = call
            machine.disk.setInterlude(before: fileSystem) {
                left -= 1
                if left == -1 { body() }
            }
            work()
            machine.disk.setInterlude(before: fileSystem, nil)
            return left < 0
        }
    }

    private static func value(_ number: UInt64, _ round: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number) &+ UInt8(round), count: 250)
    }

    private func check(_ reader: StoreReader, _ call: Int, round: Int = 2) throws {
        let snapshot = try reader.snapshot()
        #expect(snapshot.count() == Int(Self.keyCount), "call \(call)")
        for number in 0..<Self.keyCount {
            let found = try snapshot.get(number)
            #expect(found == Self.value(number, round), "call \(call)")
        }
    }

    @Test(
        "a reader of an earlier commit that opens during a compaction has all of it, or is refused")
    func earlierCommit() throws {
        var counts = (shown: 0, refused: 0)
        for call in SampledNumbers(below: 3000, oneOf: 6) {
            let scene = try Scene()
            var opened: Result<StoreReader, StoreError>?
            func compact() {
                #expect(throws: Never.self) { try scene.store.compact() }
                scene.machine.executor.drain()
            }
            // Each round of puts has a commit for each key.
            let happened = scene.run(
                { opened = scene.open(asOf: 2 * Self.keyCount) },
                before: scene.machine.fileSystem, call: call, during: compact)
            if !happened { break }
            scene.machine.executor.advance(byNanoseconds: 6_000_000_000)
            scene.machine.executor.drain()
            switch try #require(opened) {
            case .success(let reader):
                counts.shown += 1
                try check(reader, call, round: 1)
                reader.close()
            case .failure(let error):
                counts.refused += 1
                #expect(error.code == .commitNotKept, "call \(call): \(error)")
            }
            try scene.store.close()
        }
        #expect(counts.shown > 0 && counts.refused > 0, "\(counts)")
    }

    @Test(
        "a compaction and the opening of a reader do not get in each other's way",
        arguments: [false, true])
    func compaction(isInside: Bool) throws {
        var removedCount = 0
        for call in SampledNumbers(below: 3000, oneOf: isInside ? 4 : 20) {
            let scene = try Scene()
            var opened: Result<StoreReader, StoreError>?
            func compact() {
                #expect(throws: Never.self) { try scene.store.compact() }
                scene.machine.executor.drain()
            }
            let happened: Bool
            if isInside {
                happened = scene.run(compact, before: scene.beside, call: call) {
                    opened = scene.open()
                }
            } else {
                happened = scene.run(
                    { opened = scene.open() }, before: scene.machine.fileSystem, call: call,
                    during: compact)
            }
            if !happened { break }
            let reader = try #require(try opened?.get(), "call \(call)")
            try check(reader, call)
            reader.close()
            scene.machine.executor.advance(byNanoseconds: 6_000_000_000)
            compact()
            removedCount += try scene.store.statistics.compaction.total.removedSegmentCount
            try scene.store.close()
        }
        #expect(removedCount > 0)
    }

    // A slot in the lock file that went with the old store would have been seen by nobody.
    @Test("a reader that opens while another store takes the place of this one has a slot in that")
    func replaced() throws {
        var counts = (old: 0, new: 0, none: 0)
        for call in SampledNumbers(below: 3000, oneOf: 2) {
            let scene = try Scene()
            var made: Store?
            func replace() {
                #expect(throws: Never.self) {
                    try scene.store.close()
                    // A reader that has its slot already keeps the store from being removed.
                    let removed = capture { () throws(StoreError) in
                        try Store.remove(at: Self.path, fileSystem: scene.machine.fileSystem)
                    }
                    guard case .success(true) = removed else { return }
                    made = try Store.open(at: Self.path, options: scene.machine.options())
                    try made?.write { try $0.put("new", forKey: UInt64(0)) }
                }
            }
            var opened: Result<StoreReader, StoreError>?
            let happened = scene.run(replace, before: scene.beside, call: call) {
                opened = scene.open()
            }
            if !happened { break }
            guard case .success(let reader) = opened else {
                counts.none += 1
                continue
            }
            if let made {
                counts.new += 1
                #expect(try reader.snapshot().get(UInt64(0)) == Array("new".utf8), "call \(call)")
                let table = try ReaderTable(
                    directory: Self.path, lineage: 0, fileSystem: scene.machine.fileSystem)
                #expect(try !table.excludeReaders(), "call \(call)")
                table.close()
                try made.close()
            } else {
                counts.old += 1
                try check(reader, call)
            }
            reader.close()
        }
        #expect(counts.old > 2 && counts.new > 0, "\(counts)")
    }

    // A backup had the checkpoint of before and left out the segment in which its replay began, for
    // the log that was read after it retired that (seed 30221859 of the simulation).
    @Test("a backup of a store that goes on to compact after two more checkpoints can be restored")
    func backup() throws {
        var madeCount = 0
        for call in SampledNumbers(below: 3000, oneOf: 8) {
            let scene = try Scene()
            func goOn() {
                #expect(throws: Never.self) {
                    for round in 3..<6 {
                        for number in 0..<Self.keyCount {
                            try scene.store.write {
                                try $0.put(Self.value(number, round), forKey: number)
                            }
                        }
                        try scene.store.checkpoint()
                    }
                    try scene.store.compact()
                }
            }
            var environment = scene.machine.environment
            environment.fileSystem = scene.beside
            var made: Result<BackupReport, StoreError>?
            let happened = scene.run(goOn, before: scene.beside, call: call) {
                made = capture { [environment] () throws(StoreError) in
                    try StoreBackup.make(
                        of: Self.path, to: "/backup", options: BackupOptions(method: .copy),
                        environment: environment)
                }
            }
            if !happened { break }
            _ = try #require(try made?.get(), "call \(call)")
            madeCount += 1
            try StoreBackup.restore(
                from: "/backup", to: "/restored", options: BackupOptions(method: .copy),
                environment: environment)
            var options = scene.machine.options(segmentByteCount: 8 << 10)
            options.environment.fileSystem = scene.beside
            let store = try Store.open(at: "/restored", options: options)
            let first = try #require(try store.snapshot().get(UInt64(0)), "call \(call)")
            let round = Int(first[0])
            #expect(round == 2 || round == 5, "call \(call)")
            for number in 0..<Self.keyCount {
                let value = try store.snapshot().get(number)
                #expect(value == Self.value(number, round), "call \(call)")
            }
            try store.close()
            try scene.store.close()
        }
        #expect(madeCount > 8)
    }

    // Such as one that recovery left, and that no reader holds back.
    @Test(
        "a segment of no use goes while a reader opens, or a backup is made",
        arguments: [false, true])
    func strayFile(isBackup: Bool) throws {
        for call in SampledNumbers(below: 1000, oneOf: 4) {
            let scene = try Scene()
            let disk = scene.machine.disk
            let stray = Self.path + "/0000009999.segment"
            disk.setContents(of: stray, [UInt8](repeating: 0, count: 4096))
            var environment = scene.machine.options().environment
            environment.fileSystem = scene.beside
            func lose() { disk.lose(stray) }
            let happened = scene.run(lose, before: scene.beside, call: call) {
                #expect(throws: Never.self, "call \(call)") {
                    if isBackup {
                        try StoreBackup.make(
                            of: Self.path, to: "/backup", options: BackupOptions(),
                            environment: environment)
                    } else {
                        let reader = try scene.open().get()
                        try check(reader, call)
                        reader.close()
                    }
                }
            }
            try scene.store.close()
            if !happened { return }
        }
        Issue.record("it never ended")
    }

    // What the writer had published for its readers was lost: they believed neither the retirement
    // of a segment nor the copies of its records, and looked for these in the file that was gone.
    @Test("after a power cut a reader finds what a compaction has moved", arguments: 0..<12)
    func powerCut(seed: Int) throws {
        let scene = try Scene(seed: UInt64(seed))
        #expect(try scene.store.compact().removedSegmentCount > 0)
        scene.machine.disk.crash()
        var options = scene.machine.options()
        options.environment.fileSystem = scene.machine.disk.start()
        let reader = try StoreReader.open(at: Self.path, options: options)
        try check(reader, seed)
        reader.close()
    }

    @Test(
        "a store is removed, or a reader has it: never both", arguments: [false, true])
    func removal(isInside: Bool) throws {
        var (readCount, removedCount) = (0, 0)
        for call in 0..<1000 {
            let scene = try Scene()
            try scene.store.close()
            let own = scene.machine.fileSystem
            var opened: Result<StoreReader, StoreError>?
            var removed: Result<Bool, StoreError>?
            func remove() {
                removed = capture { () throws(StoreError) in
                    try Store.remove(at: Self.path, fileSystem: own)
                }
            }
            let happened =
                isInside
                ? scene.run(remove, before: scene.beside, call: call) { opened = scene.open() }
                : scene.run({ opened = scene.open() }, before: own, call: call, during: remove)
            if !happened { break }
            switch (try #require(opened), try #require(removed)) {
            case (.success(let reader), .failure(let error)):
                #expect(error.code == .locked, "call \(call): \(error)")
                try check(reader, call)
                reader.close()
                readCount += 1
            case (.failure(let error), .success(let isRemoved)):
                #expect(isRemoved, "call \(call)")
                let expected: [StoreError.Code] = [.notAStore, .notFound, .locked]
                #expect(expected.contains(error.code), "call \(call): \(error)")
                let left = scene.machine.disk.paths.filter { $0.hasPrefix(Self.path + "/") }
                #expect(left == [] || left == [Self.path + "/lock"], "call \(call): \(left)")
                removedCount += 1
            case (let opened, let removed):
                Issue.record("call \(call): \(opened), \(removed)")
            }
        }
        #expect(readCount > 0 && removedCount > 0)
    }

    @Test("directories above a store that are made for it are durable, each in the one above")
    func madeDirectories() throws {
        let machine = SimulatedMachine(seed: 78)
        for _ in 0..<2 {
            try StoreCopy.makeDirectories(at: "/a/b/c", fileSystem: machine.fileSystem)
        }
        let expected = [
            "createDirectory /a", "openDirectory /", "syncDirectory /", "createDirectory /a/b",
            "openDirectory /a", "syncDirectory /a", "createDirectory /a/b/c", "openDirectory /a/b",
            "syncDirectory /a/b",
        ]
        #expect(machine.disk.recentCalls == expected)
        // Where another process was faster.
        try StoreCopy.makeDirectories(at: "/a", fileSystem: machine.fileSystem)
    }
}
