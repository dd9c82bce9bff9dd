import SegmentLog
import SimulatedDisk
import StoreWorkload
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A store on a simulated machine with small segments, for compaction.
final class CompactionFixture {
    let machine: SimulatedMachine
    static let segmentByteCount = 8 << 10

    init(seed: UInt64, fileCapacity: Int = 2 << 20) {
        machine = SimulatedMachine(seed: seed, fileCapacity: fileCapacity)
    }

    func open(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
        var options = machine.options(segmentByteCount: Self.segmentByteCount)
        options.checkpointInterval = 10_000
        change(&options)
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    /// What compaction may leave beside live data: four segments, and the log after the older
    /// checkpoint.
    func floor(of store: Store) throws -> Int {
        let statistics = try store.statistics
        let older = statistics.checkpointLSNs.min() ?? 0
        let newer = statistics.segments.filter { $0.lastLSN >= older }
        return newer.reduce(4 * Self.segmentByteCount) { $0 + $1.allocatedByteCount }
    }

    /// Allocated bytes of segments ÷ live bytes, beyond the floor.
    func space(of store: Store) throws -> Double {
        let statistics = try store.statistics
        let beyond = max(0, statistics.allocatedByteCount - (try floor(of: store)))
        return Double(beyond) / Double(max(1, statistics.liveByteCount))
    }

    /// Destroys every checkpoint, so that what is left of the log must be enough.
    func loseCheckpoints() {
        for path in machine.disk.paths where path.hasSuffix(".pages") {
            machine.disk.corrupt(path, at: 9)
        }
    }

    /// The LSN that the record at a location had first.
    func originalLSN(_ location: UInt64, _ snapshot: Snapshot) throws -> LSN? {
        let record = try snapshot.access.segments.verifiedRecord(at: Location(rawValue: location))
        return record.originalLSN ?? record.lsn
    }

    /// After a clean close: fsck finds nothing, and the store holds the model, with its checkpoints
    /// and without them.
    func verify(_ model: CompactionModel) throws {
        let found = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(found.isSound, "\(found.findings)")
        var store = try open()
        try model.check(store)
        #expect(try store.brokenInvariants() == [])
        try store.close()
        loseCheckpoints()
        store = try open()
        #expect(store.openingSource == .fullReplay)
        try model.check(store)
        #expect(try store.brokenInvariants() == [])
        try store.close()
    }
}

/// What a store must hold: numbered keys with values that follow from a round.
struct CompactionModel {
    private(set) var rounds: [Int: Int] = [:]

    init() {}

    init(numbers: Range<Int>, round: Int) {
        for number in numbers { rounds[number] = round }
    }

    static func key(_ number: Int) -> [UInt8] {
        let digits = Array(String(number).utf8)
        return Array("key ".utf8) + [UInt8](repeating: 0x30, count: 6 - digits.count) + digits
    }

    static func value(_ number: Int, _ round: Int) -> [UInt8] {
        (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &+ round &* 7) }
    }

    /// Puts a value, in the model too once it is committed.
    mutating func put(_ number: Int, _ round: Int, _ store: Store) throws {
        try store.write(durability: Durability.unsynced) {
            try $0.put(Self.value(number, round), forKey: Self.key(number))
        }
        rounds[number] = round
    }

    /// Somebody has put a value.
    mutating func note(_ number: Int, _ round: Int) { rounds[number] = round }

    mutating func delete(_ number: Int, _ store: Store) throws {
        try store.write(durability: Durability.unsynced) { _ = try $0.delete(Self.key(number)) }
        rounds[number] = nil
    }

    func check(_ store: Store) throws { try check(try store.snapshot()) }

    func check(_ snapshot: Snapshot) throws {
        #expect(snapshot.count() == rounds.count)
        for (number, round) in rounds {
            let value = try snapshot.get(Self.key(number))
            #expect(value == Self.value(number, round), "key \(number)")
        }
    }
}
