import SegmentLog
import SimulatedDisk
import TestSupport

/// A log on a simulated disk, and what a test needs around it.
final class LogFixture {
    let disk: SimulatedDisk
    let executor = ManualExecutor()
    let random: SharedRandom
    var options: SegmentLog.Options

    static let directory = "/store"
    static let identity = StoreIdentity(uuidLow: 0x1111, uuidHigh: 0x2222, lineage: 7)

    init(
        seed: UInt64 = 1, assumptions: DiskAssumptions = DiskAssumptions(),
        segmentByteCount: Int? = 16 << 10, fileCapacity: Int = 1 << 20
    ) {
        disk = SimulatedDisk(seed: seed, assumptions: assumptions, fileCapacity: fileCapacity)
        random = SharedRandom(SeededRandom(scattering: seed &+ 77))
        options = SegmentLog.Options()
        options.segmentByteCount = segmentByteCount
        options.zeroAheadByteCount = 0
    }

    func environment(_ fileSystem: FileSystem) -> Environment {
        let executor = executor
        let random = random
        return Environment(
            fileSystem: fileSystem, executor: executor, now: { executor.now },
            random: { random.next() })
    }

    /// A log in a new process, not recovered yet.
    func makeLog() throws -> SegmentLog {
        executor.removeAll()
        let fileSystem = disk.start()
        if !fileSystem.exists(Self.directory) {
            try fileSystem.createDirectory(Self.directory)
        }
        return SegmentLog(
            directory: Self.directory, identity: Self.identity, options: options,
            environment: environment(fileSystem))
    }

    /// A log in a new process, with what its recovery replayed.
    func openLog(
        durableEvidence: LSN = .zero, cleanEnd: LogPosition? = nil,
        from start: (position: LogPosition, nextLSN: LSN)? = nil
    ) throws -> (log: SegmentLog, replay: Replay, report: RecoveryReport) {
        let log = try makeLog()
        var replay = Replay()
        let report = try log.recover(
            from: start, durableEvidence: durableEvidence, cleanEnd: cleanEnd, visitor: &replay)
        return (log, replay, report)
    }

    /// The path of a segment.
    func path(_ number: UInt32) -> String {
        Self.directory + "/" + SegmentNumber(rawValue: number).fileName
    }
}

/// A record by value.
struct TestRecord: Equatable, CustomStringConvertible {
    var kind: RecordKind
    var keyspace: KeyspaceID = .default
    var key: [UInt8]
    var value: [UInt8] = []
    var location = Location(rawValue: 0)

    var description: String { "\(kind) \(key.prefix(8)) \(value.count)B @\(location)" }
}

/// A visitor that keeps everything.
struct Replay: RecoveryVisitor {
    struct Transaction: Equatable {
        var firstLSN: LSN
        var lastLSN = LSN.zero
        var records: [TestRecord] = []
    }

    var transactions: [Transaction] = []
    var isOpen = false
    var lastLSN: LSN { transactions.last?.lastLSN ?? .zero }

    mutating func beginTransaction(firstLSN: LSN) throws {
        precondition(!isOpen)
        isOpen = true
        transactions.append(Transaction(firstLSN: firstLSN))
    }

    mutating func record(_ record: RecoveredRecord) throws {
        precondition(isOpen)
        transactions[transactions.count - 1].records.append(
            TestRecord(
                kind: record.kind, keyspace: record.keyspace, key: Array(record.key),
                value: Array(record.value), location: record.location))
    }

    mutating func endTransaction(lastLSN: LSN) throws {
        precondition(isOpen)
        isOpen = false
        transactions[transactions.count - 1].lastLSN = lastLSN
    }
}

extension SegmentLog {
    @discardableResult
    func append(_ record: TestRecord) throws -> Location {
        try record.key.withUnsafeBytes { key in
            try record.value.withUnsafeBytes { value in
                try append(
                    kind: record.kind, keyspace: record.keyspace, key: key, value: value)
            }
        }
    }

    /// One transaction of puts, and its records with their locations.
    @discardableResult
    func write(
        _ records: [TestRecord], isDeleteOnly: Bool = false
    ) throws -> (lsn: LSN, records: [TestRecord]) {
        beginTransaction()
        var placed: [TestRecord] = []
        do {
            for record in records {
                var record = record
                record.location = try append(record)
                placed.append(record)
            }
        } catch {
            abortTransaction()
            throw error
        }
        return (try commitTransaction(isDeleteOnly: isDeleteOnly), placed)
    }
}

/// A put of a numbered key.
func put(_ number: Int, byteCount: Int = 40) -> TestRecord {
    TestRecord(
        kind: .put, key: Array("key-\(number)".utf8),
        value: (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &+ number) })
}

/// A tombstone of a numbered key.
func delete(_ number: Int) -> TestRecord {
    TestRecord(kind: .delete, key: Array("key-\(number)".utf8))
}
