import Foundation
import OrderedIndex
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Reads in place that verify records: all at each read, or each once since its segment was mapped.
@Suite struct RecordVerificationTests {
    /// The ways to a value of a keyspace with numbered keys.
    private enum Way: CaseIterable {
        case number, bytes, place, cursor, forEach, rows, leaves, batch, transaction

        /// What the keys lead to: values, or the error that came in place of one. After an error a
        /// scan is begun again after its key.
        func read(
            _ count: Int, _ store: Store, _ verification: RecordVerification
        ) throws -> [Result<[UInt8], StoreError>] {
            if self == .transaction {
                let transaction = try store.beginWrite()
                transaction.verification = verification
                defer { transaction.rollback() }
                return try Way.number.values(count, transaction.access)
            }
            let snapshot = try store.snapshot(verification: verification)
            return try withExtendedLifetime(snapshot) { try values(count, snapshot.access) }
        }

        private func values(
            _ count: Int, _ access: ReadAccess
        ) throws -> [Result<[UInt8], StoreError>] {
            let keyspace = KeyspaceID.default
            func single(
                _ body: (UInt64) throws(StoreError) -> UnsafeRawBufferPointer?
            ) -> [Result<[UInt8], StoreError>] {
                (0..<UInt64(count)).map { key in
                    Result { () throws(StoreError) in Array(try body(key)!) }
                }
            }
            switch self {
            case .number, .transaction:
                return single { key throws(StoreError) in
                    try access.value(forKey: key, in: keyspace)
                }
            case .bytes:
                return single { key throws(StoreError) in
                    try withKey(key) { (bytes) throws(StoreError) in
                        try access.value(forKey: bytes, in: keyspace)
                    }
                }
            case .place:
                return single { key throws(StoreError) in
                    let place = try withKey(key) { (bytes) throws(StoreError) in
                        try access.indexValue(forKey: bytes, in: keyspace)
                    }
                    return try access.value(atPlace: place!)
                }
            case .cursor:
                var cursor = access.cursor(in: keyspace)
                return try scan(count, &cursor) { cursor, found in
                    repeat {
                        found.append(.success(Array(try cursor.value())))
                    } while try cursor.nextWithPrefetch()
                }
            case .forEach:
                var cursor = access.cursor(in: keyspace)
                return try scan(count, &cursor) { cursor, found in
                    try cursor.forEach(verified: false) { _, value in
                        found.append(.success(Array(value)))
                        return true
                    }
                }
            case .rows:
                let memory = UnsafeMutablePointer<NumberedRow>.allocate(
                    capacity: RawCursor.rowCountMax)
                defer { memory.deallocate() }
                var cursor = access.cursor(in: keyspace)
                return try scan(count, &cursor) { cursor, found in
                    while true {
                        let taken = cursor.takeRows(into: memory)
                        for row in UnsafeBufferPointer(start: memory, count: taken.count) {
                            let bytes = UnsafeRawBufferPointer(
                                start: row.base, count: row.byteCount)
                            found.append(.success(Array(bytes)))
                        }
                        if let failure = taken.failure { throw failure }
                        if taken.count == 0 { return }
                    }
                }
            case .leaves:
                var visitor = LeafWay(access)
                try access.visitNodes(of: keyspace, &visitor)
                return visitor.found
            case .batch:
                var batch = RowBatch(access, keyspace: keyspace)
                var found: [Result<[UInt8], StoreError>] = []
                while found.count < count {
                    batch.removeAll()
                    let first = found.count
                    for key in first..<min(count, first + RowBatch.capacity) {
                        batch.append(UInt64(key))
                    }
                    try batch.lookUp()
                    for place in 0..<batch.count {
                        found.append(
                            Result { () throws(StoreError) in Array(try batch.row(place)!) })
                    }
                }
                return found
            }
        }

        private func scan(
            _ count: Int, _ cursor: inout RawCursor,
            _ body: (inout RawCursor, inout [Result<[UInt8], StoreError>]) throws -> Void
        ) throws -> [Result<[UInt8], StoreError>] {
            var found: [Result<[UInt8], StoreError>] = []
            while found.count < count {
                let isThere = try withKey(UInt64(found.count)) { (bytes) throws(StoreError) in
                    try cursor.seek(atOrAfter: bytes)
                }
                try #require(isThere)
                do {
                    try body(&cursor, &found)
                } catch let error as StoreError {
                    found.append(.failure(error))
                }
            }
            return found
        }

        private func withKey<Value>(
            _ key: UInt64, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Value
        ) throws(StoreError) -> Value {
            var bigEndian = key.bigEndian
            return try Swift.withUnsafeBytes(of: &bigEndian) { (bytes) throws(StoreError) in
                try body(bytes)
            }
        }
    }

    /// Reads leaves: the first half of each as a whole, the rest by positions.
    private struct LeafWay: NodeVisitor {
        var reader: LeafRowReader
        var found: [Result<[UInt8], StoreError>] = []

        init(_ access: ReadAccess) { reader = LeafRowReader(access) }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) {
            withUnsafeTemporaryAllocation(of: NumberedRow.self, capacity: leaf.count) { memory in
                guard let rows = memory.baseAddress else { return }
                var position = 0
                while position < leaf.count / 2 {
                    let taken = reader.takeAll(of: leaf, from: position, into: rows)
                    position += note(taken, memory, most: leaf.count / 2 - position)
                }
                while position < leaf.count {
                    var words = SIMD4<UInt64>.zero
                    for place in position..<leaf.count {
                        words[place / 64] |= 1 << UInt64(place % 64)
                    }
                    var rest = LeafPositions(words: words)
                    let taken = reader.take(&rest, of: leaf, upTo: 7, into: rows)
                    position += note(taken, memory, most: .max)
                }
            }
        }

        /// What was taken, and the error after it; returns how many entries that were.
        private mutating func note(
            _ taken: LeafRowReader.Taken, _ rows: UnsafeMutableBufferPointer<NumberedRow>, most: Int
        ) -> Int {
            let count = min(taken.count, most)
            for row in rows[..<count] {
                let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
                found.append(.success(Array(bytes)))
            }
            guard count < most, let failure = taken.failure else { return count }
            found.append(.failure(failure))
            return count + 1
        }
    }

    private static let count = 700

    private static func value(_ key: Int) -> [UInt8] {
        Array("value of \(key).".utf8) + [UInt8](repeating: UInt8(key & 0x7F), count: key % 150)
    }

    /// Commits of one record, of some, and one of more than the scans verify whole.
    private func make(_ machine: SimulatedMachine, _ compression: KeyspaceCompression) throws {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { try $0.setCompression(compression, of: .default) }
        var key = 0
        for byCommit in [Int](repeating: 1, count: 40) + [Int](repeating: 20, count: 10) + [460] {
            try store.write { transaction in
                for key in key..<key + byCommit {
                    try transaction.put(Self.value(key), forKey: UInt64(key))
                }
            }
            key += byCommit
        }
        #expect(key == Self.count)
        if compression != .off { try store.compact() }
        try store.close()
    }

    /// Changes a byte of the value of some keys, wherever it is in the log.
    private func damage(_ keys: Set<Int>, _ machine: SimulatedMachine) throws {
        var changed: Set<Int> = []
        for file in machine.files where file.name.hasSuffix(".segment") {
            var bytes = file.bytes
            for key in keys {
                let text = Array("value of \(key).".utf8)
                guard let first = bytes.firstRange(of: text)?.lowerBound else { continue }
                bytes[first + 3] ^= 0x20
                changed.insert(key)
            }
            if bytes != file.bytes {
                machine.disk.setContents(of: SimulatedMachine.path + "/" + file.name, bytes)
            }
        }
        try #require(changed == keys)
    }

    private func expect(
        _ found: [Result<[UInt8], StoreError>], damaged: Set<Int>,
        _ verification: RecordVerification, _ comment: Comment
    ) {
        #expect(found.count == Self.count, comment)
        for (key, result) in found.enumerated() {
            switch result {
            case .success(let value) where damaged.contains(key):
                // Changed text is what it reads as that nobody verifies.
                #expect(verification == .none && value != Self.value(key), "\(comment), \(key)")
            case .success(let value):
                #expect(value == Self.value(key), "\(comment), \(key)")
            case .failure(let error):
                #expect(verification != .none && damaged.contains(key), "\(comment), \(key)")
                #expect(error.code == .damaged && error.offset != nil, "\(comment): \(error)")
            }
        }
    }

    @Test(
        "whichever way a value is read, a damaged one is an error each time, and all others are right",
        arguments: RecordVerification.allCases, [ReadMode.mapped, .verified])
    func damaged(verification: RecordVerification, readMode: ReadMode) throws {
        // Where nothing is mapped, records are verified as they are read into memory.
        let held = readMode == .verified && verification == .none ? .always : verification
        for seed in SampledNumbers.some(1, of: UInt64(0)..<8) {
            var random = SeededRandom(seed: seed)
            let machine = SimulatedMachine(seed: seed)
            try make(machine, .off)
            let damaged = Set((0..<5).map { _ in Int.random(in: 0..<Self.count, using: &random) })
            try damage(damaged, machine)
            for way in Way.allCases {
                let store = try Store.open(
                    at: SimulatedMachine.path, options: machine.options(readMode))
                for round in 1...3 {
                    expect(
                        try way.read(Self.count, store, verification), damaged: damaged, held,
                        "seed \(seed), \(way), round \(round)")
                }
                // What one way found whole is whole for the others; what is damaged is not.
                for other in Way.allCases {
                    expect(
                        try other.read(Self.count, store, verification), damaged: damaged, held,
                        "seed \(seed), \(other) after \(way)")
                }
                try store.close()
            }
        }
    }

    @Test(
        "values that compaction put together or compressed are verified too",
        arguments: [KeyspaceCompression.packed, .cold], [ReadMode.mapped, .verified])
    func packed(compression: KeyspaceCompression, readMode: ReadMode) throws {
        let machine = SimulatedMachine(seed: 3)
        try make(machine, compression)
        let files = machine.files
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(readMode))
        for way in Way.allCases {
            for verification in RecordVerification.allCases {
                expect(
                    try way.read(Self.count, store, verification), damaged: [], verification,
                    "\(way)")
            }
        }
        try store.close()
        // A byte anywhere after the headers: what is read is right, or an error.
        var errorCount = 0
        var openedCount = 0
        for seed in 0..<12 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            for file in files {
                var bytes = file.bytes
                if file.name.hasSuffix(".segment") {
                    for _ in 0..<3 {
                        bytes[Int.random(in: 4096..<bytes.count, using: &random)] ^= 0x41
                    }
                }
                machine.disk.setContents(of: SimulatedMachine.path + "/" + file.name, bytes)
            }
            machine.restart()
            let store: Store
            do throws(StoreError) {
                store = try Store.open(
                    at: SimulatedMachine.path, options: machine.options(readMode))
            } catch {
                #expect(error.code == .damaged, "seed \(seed): \(error)")
                continue
            }
            openedCount += 1
            for way in Way.allCases {
                for verification in [RecordVerification.onFirstRead, .always] {
                    for (key, result) in try way.read(Self.count, store, verification).enumerated()
                    {
                        switch result {
                        case .success(let value):
                            #expect(value == Self.value(key), "seed \(seed), \(way), key \(key)")
                        case .failure(let error):
                            errorCount += 1
                            #expect(error.code == .damaged, "seed \(seed), \(way): \(error)")
                        }
                    }
                }
            }
            try? store.close()
        }
        #expect(errorCount > 0 && openedCount > 0)
    }

    @Test(
        "damage that comes after the first read is found where each read is verified",
        arguments: [KeyspaceCompression.off, .packed])
    func later(compression: KeyspaceCompression) throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        do {
            let store = try Store.open(at: path)
            try store.write { transaction in
                try transaction.setCompression(compression, of: .default)
                for key in 0..<30 { try transaction.put(Self.value(key), forKey: UInt64(key)) }
            }
            // A pack is verified once for all its values.
            if compression != .off { try store.compact() }
            try store.close()
        }
        let store = try Store.open(at: path)
        let snapshots = try RecordVerification.allCases.map { try store.snapshot(verification: $0) }
        let keyspace = KeyspaceID.default
        for snapshot in snapshots {
            let value = try snapshot.access.value(forKey: 7 as UInt64, in: keyspace)
            #expect(value.map(Array.init) == Self.value(7))
        }
        try changeFirst("value of 7.", below: path)
        for (verification, snapshot) in zip(RecordVerification.allCases, snapshots) {
            let read = { () throws(StoreError) in
                try snapshot.access.value(forKey: 7 as UInt64, in: keyspace).map(Array.init)
            }
            if verification == .always {
                let error = #expect(throws: StoreError.self) { _ = try read() }
                #expect(error?.code == .damaged)
            } else {
                #expect(try read() != Self.value(7), "\(verification): the mapping shows the file")
            }
        }
        withExtendedLifetime(snapshots) {}
    }

    /// Changes the first letter of a text in the segment that has it, in place.
    private func changeFirst(_ text: String, below path: String) throws {
        var changeCount = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name.hasSuffix(".segment") {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/" + name))
            if let bytes = try file.readToEnd(), let found = bytes.range(of: Data(text.utf8)) {
                try file.seek(toOffset: UInt64(found.lowerBound))
                try file.write(contentsOf: [bytes[found.lowerBound] ^ 0x20])
                changeCount += 1
            }
            try file.close()
        }
        #expect(changeCount == 1)
    }
}
