import CPlatform

/// Rows of a table that were met, by their keys: links to them need no look-up.
///
/// One row for each of the keys that end alike, the one that was met last. Valid as long as the
/// version that the rows were found in is held. A few objects take no memory; many take 24 bytes for
/// each of the table's rows, of which at most 262,144 are known.
struct KnownRows: ~Copyable {
    private static let countMax = 1 << 18
    /// The first rows are not kept: it may be that there are few.
    private static let passedOverCount = 256

    private let capacity: Int
    private var passedOver = 0
    private var rows: [FoundRow] = []

    /// No rows yet, of a table that has so many.
    init(rowCount: Int) {
        var capacity = 64
        while capacity < min(rowCount, Self.countMax) { capacity *= 2 }
        self.capacity = capacity
    }

    /// Whether rows are kept already, so that it is worth to tell of others.
    var isKeeping: Bool { !rows.isEmpty }

    /// Asks for the memory where a row would be.
    @inline(__always)
    func ask(for key: UInt64) {
        rows.withUnsafeBufferPointer { rows in
            guard let start = rows.baseAddress else { return }
            travertine_prefetch_now(start + (Int(truncatingIfNeeded: key) & (capacity &- 1)))
        }
    }

    /// Keeps a row.
    @inline(__always)
    mutating func note(_ row: FoundRow) {
        if rows.isEmpty, !begins() { return }
        rows[Int(truncatingIfNeeded: row.key) & (capacity &- 1)] = row
    }

    @inline(never)
    private mutating func begins() -> Bool {
        passedOver += 1
        if passedOver <= Self.passedOverCount { return false }
        let none = FoundRow(key: 0, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        rows = [FoundRow](repeating: none, count: capacity)
        return true
    }

    /// The row with a key, if it is known.
    @inline(__always)
    func row(_ key: UInt64) -> FoundRow? {
        if rows.isEmpty { return nil }
        let row = rows[Int(truncatingIfNeeded: key) & (capacity &- 1)]
        return row.key == key && row.bytes.baseAddress != nil ? row : nil
    }
}

extension RealmCore {
    /// The row of an object, as `access.value(forKey:in:)` has it. While a loop over results goes on and
    /// nothing is written, rows that links led to, or that the loop met, are not looked up again.
    func row(_ key: UInt64, in table: ObjectTable) throws -> UnsafeRawBufferPointer? {
        guard reuseDepth > 0, transaction == nil else {
            return try access.value(forKey: key, in: table.stored.rows)
        }
        let access = try access
        if table.knownGeneration != clock.pointee.generation { beginKnowing(table) }
        if let known = table.known.row(key) { return known.bytes }
        let found = try access.value(forKey: key, in: table.stored.rows)
        if let found { table.known.note(FoundRow(key: key, bytes: found)) }
        return found
    }

    /// Forgets the rows of a table that were known in another version.
    private func beginKnowing(_ table: ObjectTable) {
        if table.knownGeneration == 0 { keepers.append(table) }
        table.known = KnownRows(rowCount: count(of: table))
        table.knownGeneration = clock.pointee.generation
    }
}
