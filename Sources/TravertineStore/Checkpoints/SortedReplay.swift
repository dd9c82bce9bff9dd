import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hands the records of the log to a `ReplayVisitor` in the order of their keys, many at a time.
///
/// The log has them in the order of time, in which each would meet another leaf of the index, most
/// of them far from the cache. In key order the records of a leaf come together. Records of one key
/// keep their order, and what says something of a whole keyspace (definitions, resets) is handed on
/// behind all before it and before all behind it; so the index becomes the same.
///
/// Keys are copied; of values only what derived keyspaces have, eight bytes. A longer value is
/// known by its length alone: its bytes must not be looked at.
struct SortedReplay: RecoveryVisitor {
    private(set) var visitor: ReplayVisitor
    private var records: [RecoveredRecord] = []
    private var entries: [Entry] = []
    private let bytes = ByteArena()

    /// What decides most comparisons, and which record it is.
    private struct Entry {
        /// The key's first eight bytes, zeros behind its end, as a big-endian number.
        var prefix: UInt64
        var keyspace: UInt32
        var index: UInt32
    }

    /// So many records take about 16 MiB.
    private static let recordCountMax = 1 << 17
    private static let keptValueByteCount = 8

    init(_ visitor: ReplayVisitor) { self.visitor = visitor }

    mutating func beginTransaction(firstLSN: LSN) {}

    mutating func endTransaction(lastLSN: LSN) {}

    mutating func record(_ record: RecoveredRecord) throws {
        if record.keyspace == 0 || !Self.concernsOneKey(record.kind) {
            try flush()
            try visitor.record(record)
            return
        }
        if records.count == Self.recordCountMax { try flush() }
        entries.append(
            Entry(
                prefix: Self.prefix(of: record.key), keyspace: record.keyspace,
                index: UInt32(records.count)))
        var kept = record
        kept.key = bytes.copy(record.key)
        kept.value = UnsafeRawBufferPointer(
            start: bytes.copy(
                UnsafeRawBufferPointer(rebasing: record.value.prefix(Self.keptValueByteCount))
            ).baseAddress, count: record.value.count)
        records.append(kept)
    }

    private static func concernsOneKey(_ kind: RecordKind) -> Bool {
        switch kind {
        case .put, .delete, .move, .tombstoneMove, .indexPut, .indexDelete: true
        case .indexReset, .rollback, .retireSegment: false
        }
    }

    private static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        return key.reduce(0) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - key.count))
    }

    /// Hands on what was collected. Called once more at the end of the log.
    mutating func flush() throws {
        if records.isEmpty { return }
        records.withUnsafeBufferPointer { records in
            entries.sort { left, right in
                if left.keyspace != right.keyspace { return left.keyspace < right.keyspace }
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                let (first, second) = (
                    records[Int(left.index)].key, records[Int(right.index)].key
                )
                let order = Self.order(first, second)
                return order == 0 ? left.index < right.index : order < 0
            }
        }
        for entry in entries { try visitor.record(records[Int(entry.index)]) }
        records.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll()
    }

    private static func order(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Int {
        let count = min(left.count, right.count)
        if count > 0, let first = left.baseAddress, let second = right.baseAddress {
            let order = memcmp(first, second, count)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}

/// Copies of short byte strings that stay where they are until all go.
private final class ByteArena {
    private static let chunkByteCount = 1 << 20
    private var chunks: [UnsafeMutableRawPointer] = []
    private var chunkIndex = 0
    private var offset = 0

    deinit { for chunk in chunks { chunk.deallocate() } }

    func copy(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        precondition(source.count <= Self.chunkByteCount, "only short strings are copied")
        if offset + source.count > Self.chunkByteCount {
            chunkIndex += 1
            offset = 0
        }
        if chunkIndex == chunks.count {
            chunks.append(.allocate(byteCount: Self.chunkByteCount, alignment: 16))
        }
        let target = chunks[chunkIndex] + offset
        if let start = source.baseAddress {
            target.copyMemory(from: start, byteCount: source.count)
        }
        offset += source.count
        return UnsafeRawBufferPointer(start: target, count: source.count)
    }

    func removeAll() {
        chunkIndex = 0
        offset = 0
    }
}
