import Foundation
import SegmentLog
import StoreWorkload
import TestSupport
import Testing
import TravertineStore

/// A small closed store with every version of every key that was ever written, and the place of each
/// in its files: what salvage must find follows from which places are intact.
struct History {
    /// One record, and its bytes without padding.
    struct Version {
        var file: String
        var range: Range<Int>
        var keyspace: KeyspaceID
        var key: [UInt8]
        /// Nil for a tombstone.
        var value: [UInt8]?
        /// The LSN that the version had first.
        var lsn: UInt64
    }

    /// A batch.
    struct Batch {
        var file: String
        var offset: Int
        var recordCount: Int
    }

    var image: StoreImage
    /// In the order in which they were written.
    var versions: [Version] = []
    var batches: [Batch] = []
    /// The files as they were after each time the store was closed, the last time excepted.
    var earlier: [[StoreImage.File]] = []

    /// A store with two keyspaces of records and a derived one, several segments, two checkpoints,
    /// overwritten and deleted keys.
    ///
    /// - Parameter end: what is done to the store before it is closed for the last time, for a test
    ///   that needs a case which random keys may not have.
    static func make(
        seed: UInt64, endingWith end: (Store) throws -> Void = { _ in }
    ) throws -> History {
        let machine = SimulatedMachine(seed: seed, fileCapacity: 64 << 10)
        var random = SeededRandom(seed: seed)
        var earlier: [[StoreImage.File]] = []
        for round in 0..<3 {
            let options = machine.options(segmentByteCount: 4096)
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            for number in 0..<3 {
                try store.write { transaction in
                    let second = try transaction.keyspace(named: "second")
                    let derived = try transaction.keyspace(named: "derived", kind: .derived)
                    for _ in 0..<4 {
                        let keyspace = Bool.random(using: &random) ? Keyspace.default : second
                        let key = "key \(Int.random(in: 0..<20, using: &random))"
                        let length = Int.random(in: 0...120, using: &random)
                        try transaction.put(random.bytes(length), forKey: key, in: keyspace)
                        try key.withBytes { (key) throws(StoreError) in
                            _ = try transaction.indexPut(
                                key, value: UInt64(number), in: derived.identifier)
                        }
                    }
                    if number == 2 { try transaction.delete("key \(round)") }
                }
                machine.executor.drain()
            }
            if round == 2 { try end(store) }
            #expect(try store.brokenInvariants() == [], "seed \(seed), round \(round)")
            try store.close()
            earlier.append(machine.files)
        }
        return try read(machine, earlier: earlier)
    }

    /// A store of two keyspaces that was compacted twice, one of them with packs, and written to in
    /// between and afterwards: it has moves, packs, retired segments, tombstones that were needed.
    static func makeCompacted(seed: UInt64) throws -> History {
        let machine = SimulatedMachine(seed: seed, fileCapacity: 64 << 10)
        var random = SeededRandom(seed: seed)
        var earlier: [[StoreImage.File]] = []
        for round in 0..<3 {
            let store = try Store.open(
                at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4096))
            for number in 0..<4 {
                try store.write { transaction in
                    let packed = try transaction.keyspace(named: "packed")
                    if round == 0, number == 0 {
                        try transaction.setCompression(.cold, of: packed)
                    }
                    for _ in 0..<6 {
                        let isPlain = Int.random(in: 0..<3, using: &random) == 0
                        let keyspace = isPlain ? .default : packed
                        let key = "key \(Int.random(in: 0..<24, using: &random))"
                        let pattern = random.bytes(4)
                        let value = (0..<Int.random(in: 0...30, using: &random))
                            .flatMap { _ in pattern }
                        try transaction.put(value, forKey: key, in: keyspace)
                    }
                    if number == 3 { try transaction.delete("key \(round)", in: packed) }
                }
                machine.executor.drain()
            }
            if round < 2 { try store.compact() }
            #expect(try store.brokenInvariants() == [], "seed \(seed), round \(round)")
            try store.close()
            earlier.append(machine.files)
        }
        return try read(machine, earlier: earlier)
    }

    /// What a machine's disk holds when the store was closed for the last time.
    private static func read(
        _ machine: SimulatedMachine, earlier: [[StoreImage.File]]
    ) throws -> History {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        let contents = try StoreImage.contents(of: store)
        try store.close()
        var history = History(image: StoreImage(files: machine.files, contents: contents))
        history.earlier = earlier
        history.readVersions()
        // A move counts after what it was copied from; within a batch the place decides.
        let order = history.versions.enumerated().sorted {
            ($0.element.lsn, $0.offset) < ($1.element.lsn, $1.offset)
        }
        history.versions = order.map(\.element)
        return history
    }

    private mutating func readVersions() {
        for file in image.files where file.name.hasSuffix(".segment") {
            var offset = SegmentHeader.byteCount
            file.bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                while offset + BatchHeader.byteCount <= bytes.count,
                    let header = BatchHeader(decoding: base + offset)
                {
                    batches.append(
                        Batch(
                            file: file.name, offset: offset,
                            recordCount: Int(header.recordCount)))
                    var place = offset + BatchHeader.byteCount
                    for _ in 0..<header.recordCount {
                        let record = RecordPointer(unsafeBase: base + place, offset: place)
                        let range = place..<place + record.contentByteCount
                        note(record, in: file.name, range, lsn: header.lsn)
                        place += record.storedByteCount
                    }
                    offset += Int(header.byteCount)
                }
            }
        }
    }

    private mutating func note(
        _ record: RecordPointer, in file: String, _ range: Range<Int>, lsn: LSN
    ) {
        var parts: [RecordPointer] = []
        let entries = PackExpansion()
        defer { withExtendedLifetime(entries) {} }
        switch record.kind {
        case .put, .delete, .move, .tombstoneMove: parts = [record]
        case .pack where entries.fill(from: record):
            parts = (0..<entries.count).map { entries[$0] }
        default: break
        }
        for part in parts {
            let isTombstone = part.kind == .delete || part.kind == .tombstoneMove
            versions.append(
                Version(
                    file: file, range: range, keyspace: part.keyspace, key: Array(part.key),
                    value: isTombstone ? nil : Array(part.value),
                    lsn: (part.originalLSN ?? lsn).rawValue))
        }
    }

    /// The end of what was written to a segment.
    func endOfContent(_ file: StoreImage.File) -> Int {
        (file.bytes.lastIndex { $0 != 0 } ?? -1) + 1
    }

    /// What salvage must find in changed files: a version is intact if its bytes are where they were,
    /// in whatever file. Nothing proves a record whose segment's salt stands nowhere any more: the last
    /// segment has one batch, and its header is lost with that of the batch.
    func expectation(in files: [StoreImage.File]) -> StoreImage.Contents {
        let contents = files.map { Data($0.bytes) }
        let provable = Set(
            image.files.filter { file in
                guard file.name.hasSuffix(".segment"), file.bytes.count >= 56 else { return true }
                let salt = Data(file.bytes[48..<56])
                return contents.contains { $0.range(of: salt) != nil }
            }.map(\.name))
        return expectation { name, range in
            let bytes = image[name][range]
            return provable.contains(name)
                && files.contains {
                    $0.bytes.count >= range.upperBound && $0.bytes[range] == bytes
                }
        }
    }

    /// What salvage must find if only some versions are intact: the newest intact of every key.
    func expectation(_ isIntact: (String, Range<Int>) -> Bool) -> StoreImage.Contents {
        var newest: [KeyspaceID: [[UInt8]: [UInt8]?]] = [.default: [:]]
        for version in versions where isIntact(version.file, version.range) {
            newest[version.keyspace, default: [:]][version.key] = .some(version.value)
        }
        var names: [KeyspaceID: String] = [.default: "default"]
        for case (let key, let value?) in newest[.system] ?? [:] {
            let definition = key.withUnsafeBytes { key in
                value.withUnsafeBytes { KeyspaceDefinition(key: key, value: $0) }
            }
            guard let definition else { continue }
            names[definition.id] = definition.kind == .records ? definition.name : nil
        }
        var contents: StoreImage.Contents = [:]
        for name in names.values { contents[name] = [] }
        for (keyspace, keys) in newest where keyspace != .system {
            let name = names[keyspace] ?? "recovered.\(keyspace)"
            contents[name] = keys.compactMap { key, value in value.map { (key, $0) } }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        }
        return contents
    }
}
