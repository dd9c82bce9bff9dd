import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A reader in another process that does nothing for long, as one that was stopped (R3).
@Suite struct StoppedReaderTests {
    private static let path = SimulatedMachine.path
    private static let keyCount = 60
    private let machine = SimulatedMachine(seed: 41)
    private let beside: SimulatedFileSystem

    init() { beside = machine.disk.startBeside() }

    private func open() throws -> Store {
        try Store.open(at: Self.path, options: machine.options(segmentByteCount: 8 << 10))
    }

    private func openReader() throws -> StoreReader {
        var options = machine.options(segmentByteCount: 8 << 10)
        options.environment.fileSystem = beside
        return try StoreReader.open(at: Self.path, options: options)
    }

    private func write(_ store: Store, _ model: inout CompactionModel, round: Int) throws {
        for number in 0..<Self.keyCount { try model.put(number, round, store) }
        try store.sync()
    }

    private var segmentByteCount: Int {
        machine.disk.paths.filter { $0.hasSuffix(".segment") }.reduce(0) {
            $0 + machine.fileSystem.allocatedByteCount(of: $1)
        }
    }

    // 81 MB were kept for 0.3 MB that lived.
    @Test(
        "what was written and died after an idle reader looked is removed, and the reader goes on"
    )
    func standingStill() throws {
        let store = try open()
        var model = CompactionModel()
        try write(store, &model, round: 0)
        let reader = try openReader()
        let snapshot = try reader.snapshot()
        let old = model
        try write(store, &model, round: 1)
        try store.compact()
        let atFirst = segmentByteCount
        for round in 2..<30 {
            try write(store, &model, round: round)
            try store.compact()
            #expect(segmentByteCount <= atFirst + (64 << 10), "round \(round)")
        }
        try old.check(snapshot)
        #expect(try reader.refresh())
        try model.check(try reader.snapshot())
        try old.check(snapshot)
        // The snapshot keeps what it sees; what the reader read since then it keeps too.
        for round in 30..<40 {
            try write(store, &model, round: round)
            try store.compact()
            #expect(segmentByteCount <= atFirst + (128 << 10), "round \(round)")
        }
        try old.check(snapshot)
        #expect(try reader.refresh())
        try model.check(try reader.snapshot())
        reader.close()
        try store.close()
    }

    @Test(
        "a reader that does not say how far it has read keeps all that was retired since it began")
    func olderReader() throws {
        let store = try open()
        var model = CompactionModel()
        try write(store, &model, round: 0)
        let reader = try openReader()
        let before = segmentByteCount
        // As a program writes it that knows only the first part.
        let lock = try machine.fileSystem.open(Self.path + "/lock", .readWrite)
        defer { lock.close() }
        let zeros = [UInt8](repeating: 0, count: 16)
        _ = try zeros.withUnsafeBytes { try lock.write($0, at: 512 + 28) }
        #expect(store.outsidePins() == [ReaderPin(lsn: reader.lsn, reach: nil)])
        for round in 1..<8 {
            try write(store, &model, round: round)
            try store.compact()
        }
        #expect(segmentByteCount > before + 7 * Self.keyCount * 300)
        reader.close()
        try store.compact()
        #expect(segmentByteCount < before + (64 << 10))
        try store.close()
    }

    @Test(
        "a reader goes on beside compaction, whatever comes between its calls",
        arguments: [false, true])
    func interleaved(hasSnapshot: Bool) throws {
        for call in SampledNumbers(below: 4000, oneOf: 3) {
            let scene = StoppedReaderTests()
            let store = try scene.open()
            var model = CompactionModel()
            try scene.write(store, &model, round: 0)
            let reader = try scene.openReader()
            let snapshot = hasSnapshot ? try reader.snapshot() : nil
            let old = model
            for round in 1..<3 {
                try scene.write(store, &model, round: round)
                if round == 1 { try store.compact() }
            }
            var left = call
            var next = model
            scene.machine.disk.setInterlude(before: scene.beside) {
                left -= 1
                guard left == -1 else { return }
                #expect(throws: Never.self) {
                    try scene.write(store, &next, round: 3)
                    try store.compact()
                    try scene.write(store, &next, round: 4)
                    try store.compact()
                }
            }
            #expect(try reader.refresh(), "call \(call)")
            scene.machine.disk.setInterlude(before: scene.beside, nil)
            // It shows one of the states, and the whole of it.
            let shown = try reader.snapshot()
            let round = try (1...4).first { round in
                try shown.get(CompactionModel.key(0)) == CompactionModel.value(0, round)
            }
            let first = try #require(round, "call \(call)")
            #expect(first >= 2)
            for number in 0..<Self.keyCount {
                let value = try shown.get(CompactionModel.key(number))
                #expect(
                    value == CompactionModel.value(number, first)
                        || value == CompactionModel.value(number, first - 1), "call \(call)")
            }
            if let snapshot { try old.check(snapshot) }
            try reader.refresh()
            try next.check(try reader.snapshot())
            reader.close()
            try store.close()
            if left >= 0 { break }
        }
    }

    @Test("the bytes of a slot say what was put there, and the first part alone is enough")
    func slots() {
        let slot = ReaderSlot(pin: ReaderPin(lsn: 7, reach: LSN(rawValue: 9)), process: 11)
        var bytes = slot.encoded
        #expect(bytes.count == ReaderSlot.byteCount)
        func read() -> ReaderSlot? { bytes.withUnsafeBytes { ReaderSlot($0) } }
        #expect(read()?.pin == slot.pin)
        #expect(read()?.process == 11)
        for place in 28..<ReaderSlot.byteCount {
            bytes[place] ^= 0x10
            #expect(read()?.pin == ReaderPin(lsn: 7, reach: nil), "byte \(place)")
            bytes[place] ^= 0x10
        }
        for place in 0..<28 {
            bytes[place] ^= 0x10
            #expect(read()?.pin == .all, "byte \(place)")
            bytes[place] ^= 0x10
        }
        bytes = [UInt8](repeating: 0, count: 64)
        #expect(read() == nil)
    }

    @Test("which segments a reader needs")
    func needs() {
        let segment = CompactionState.RetiredSegment(
            number: SegmentNumber(rawValue: 3), byteCount: 1, birth: 0, retirement: 0,
            firstLSN: LSN(rawValue: 20), lsn: LSN(rawValue: 50))
        func needs(_ lsn: UInt64, _ reach: UInt64?) -> Bool {
            ReaderPin(lsn: lsn, reach: reach.map { LSN(rawValue: $0) }).needs(segment)
        }
        #expect(needs(0, nil) && needs(0, 10), "one that opens needs everything")
        #expect(!needs(50, nil) && !needs(60, 70), "it has seen the retirement")
        #expect(needs(49, nil), "it does not say how far it is")
        #expect(needs(10, 20) && needs(10, 49), "it has read some of it")
        #expect(!needs(10, 19), "it has read nothing of it")
    }
}
