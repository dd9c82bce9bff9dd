import CPlatform
import OrderedIndex
import SegmentLog

/// Rows that a transaction changes in place before they are encoded once, at commit (4.5).
///
/// The tree of the transaction points to a staged row by a location in segment 0, whose remaining
/// 32 bits are the row's place in this table. A row that is staged again after a savepoint gets
/// separate bytes, so that rolling back to the savepoint finds the old ones unchanged. Memory is
/// given back at the end of the transaction.
final class StagedRows {
    /// One row in the arena.
    struct Row {
        var bytes: UnsafeMutableRawBufferPointer
        var keyspace: KeyspaceID
        /// The version stamp of the transaction or savepoint that staged it.
        var stamp: UInt64
        var keyByteCount: Int
        /// Key bytes are after the row's bytes.
        var key: UnsafeRawBufferPointer {
            guard let base = bytes.baseAddress else {
                return UnsafeRawBufferPointer(start: nil, count: 0)
            }
            return UnsafeRawBufferPointer(start: base + capacity, count: keyByteCount)
        }
        var capacity: Int
    }

    @exclusivity(unchecked)
    private(set) var rows: [Row] = []
    @exclusivity(unchecked)
    private var arena = ByteArena()

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }
    /// How much memory all rows take.
    var byteCount: Int { arena.byteCount + rows.count * MemoryLayout<Row>.stride }

    /// The location that names the row at a place of the table.
    static func location(of place: Int) -> Location { Location(rawValue: UInt64(place)) }

    /// The row that a staged location names.
    func row(at location: Location) -> Row { rows[Int(truncatingIfNeeded: location.rawValue)] }

    /// Takes room for a row and returns its place and its bytes, which are not initialised.
    func add(
        key: UnsafeRawBufferPointer, keyspace: KeyspaceID, byteCount: Int, stamp: UInt64
    ) -> (place: Int, bytes: UnsafeMutableRawBufferPointer) {
        let capacity = (byteCount + 7) & ~7
        let memory = arena.allocate(max(8, capacity + key.count))
        if let source = key.baseAddress {
            (memory + capacity).copyMemory(from: source, byteCount: key.count)
        }
        let bytes = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
        let place = rows.count
        rows.append(
            Row(
                bytes: bytes, keyspace: keyspace, stamp: stamp, keyByteCount: key.count,
                capacity: capacity))
        return (place, bytes)
    }

    /// The places of all rows in the order of keyspaces and keys.
    func inKeyOrder() -> [Int] {
        KeyOrder.places(rows.count) { (rows[$0].keyspace, rows[$0].key) }
    }

    /// How many rows are asked for together.
    static let askedCount = IndexReader.batchCountMax
    /// Leaves are asked for in trees of so many keys, which no cache near the processor holds.
    static let askedKeyCountMin = 100_000

    /// Asks for what the table says of rows.
    func askForTable(_ places: ArraySlice<Int>) {
        rows.withUnsafeBufferPointer { rows in
            guard let start = rows.baseAddress else { return }
            for place in places { travertine_prefetch(start + place) }
        }
    }

    /// Asks for the bytes of rows and their keys.
    func askForBytes(_ places: ArraySlice<Int>) {
        for place in places {
            guard let start = rows[place].bytes.baseAddress else { continue }
            travertine_prefetch(start)
            travertine_prefetch(start + 64)
            travertine_prefetch(start + rows[place].capacity)
        }
    }

    /// Forgets the rows staged since the table had this many; their memory stays until the end.
    func truncate(to count: Int) { rows.removeSubrange(count...) }

    /// Forgets everything and gives the memory back.
    func removeAll() {
        rows.removeAll(keepingCapacity: true)
        arena.removeAll()
    }
}
