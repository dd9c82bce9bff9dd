import CPlatform

/// The addresses of rows of a table that were found, by their keys: links to them need no look-up.
///
/// One row for each of the keys that end alike, the one that was found last. Valid as long as the
/// version that the rows were found in is held. A few objects take no memory. The room for others
/// grows with what is found, doubled each time, up to the table's rows, of which at most 1,048,576
/// are cached: 16 bytes for each.
struct RowAddressCache: ~Copyable {
    /// A key and where its row is: the address in the upper 48 bits, the length in the others; 0
    /// for none. 16 bytes, so that a row is found in one line of the cache.
    private struct Entry: BitwiseCopyable {
        var key: UInt64
        var place: UInt64
    }

    static let countMax = 1 << 20
    private static let byteCountBits: UInt64 = 16
    /// The first rows are not kept: it may be that there are few.
    private static let passedOverCount = 256

    private static let countAtFirst = 4096

    /// How many rows there will be room for.
    private let capacityMax: Int
    private var mask: UInt64 = 0
    /// How many more rows are kept before there is more room.
    private var restUntilGrowth = 0
    private var passedOver = 0
    private var memory: ZeroedMemory?
    private var entries: UnsafeMutablePointer<Entry>?

    /// No rows yet, of a table that has so many.
    init(rowCount: Int) {
        var capacity = 64
        while capacity < min(rowCount, Self.countMax) { capacity *= 2 }
        capacityMax = capacity
    }

    /// How many rows there is room for now.
    var capacity: Int { entries == nil ? 0 : Int(mask) + 1 }

    /// Whether rows are cached already, so that adding others is worth it.
    @inline(__always)
    var isKeeping: Bool { entries != nil }

    /// Asks for the memory where a row would be.
    @inline(__always)
    func ask(for key: UInt64) {
        guard let entries else { return }
        travertine_prefetch_now(entries + Int(truncatingIfNeeded: key & mask))
    }

    /// Adds a row, unless it is longer than an entry can hold.
    @inline(__always)
    mutating func note(_ key: UInt64, _ row: UnsafeRawBufferPointer) {
        if restUntilGrowth == 0 { grow() }
        guard let entries else { return }
        restUntilGrowth &-= 1
        let (address, byteCount) = (UInt64(UInt(bitPattern: row.baseAddress)), UInt64(row.count))
        guard byteCount &>> Self.byteCountBits == 0, address &>> (64 &- Self.byteCountBits) == 0
        else { return }
        entries[Int(truncatingIfNeeded: key & mask)] = Entry(
            key: key, place: address &<< Self.byteCountBits | byteCount)
    }

    /// Makes room, or more room, if enough was found; keeps what is cached.
    @inline(never)
    private mutating func grow() {
        if entries == nil {
            passedOver += 1
            if passedOver <= Self.passedOverCount { return }
        }
        let old = (entries: entries, capacity: capacity, memory: memory)
        let capacity = min(max(old.capacity * 2, Self.countAtFirst), capacityMax)
        // Nobody asks again: neither for more than the table has, nor where the system has none.
        restUntilGrowth = .max
        guard capacity > old.capacity,
            let larger = ZeroedMemory(byteCount: capacity * MemoryLayout<Entry>.stride)
        else {
            if old.entries == nil { (passedOver, restUntilGrowth) = (.min, 0) }
            return
        }
        let new = larger.base.bindMemory(to: Entry.self, capacity: capacity)
        mask = UInt64(capacity - 1)
        for place in 0..<old.capacity {
            guard let entry = old.entries?[place], entry.place != 0 else { continue }
            new[Int(truncatingIfNeeded: entry.key & mask)] = entry
        }
        memory = larger
        entries = new
        if capacity < capacityMax { restUntilGrowth = capacity / 2 }
        withExtendedLifetime(old.memory) {}
    }

    /// The row with a key, if it is known.
    @inline(__always)
    func row(_ key: UInt64) -> UnsafeRawBufferPointer? {
        guard let entries else { return nil }
        let entry = entries[Int(truncatingIfNeeded: key & mask)]
        guard entry.key == key,
            let start = UnsafeRawPointer(
                bitPattern: UInt(truncatingIfNeeded: entry.place &>> Self.byteCountBits))
        else { return nil }
        let byteCount = Int(truncatingIfNeeded: entry.place & (1 &<< Self.byteCountBits &- 1))
        return UnsafeRawBufferPointer(start: start, count: byteCount)
    }
}

extension RealmSession {
    /// The row of an object, as `access.value(forKey:in:)` has it. While a loop over results goes
    /// on and nothing is written, rows that links led to, or that the loop reached, are not looked
    /// up again.
    func row(_ key: UInt64, in table: TableState) throws -> UnsafeRawBufferPointer? {
        guard recycling.depth > 0, transaction == nil else {
            return try access.value(forKey: key, in: table.stored.rows)
        }
        let access = try access
        if table.knownGeneration != generation.pointee.number { beginKnowing(table) }
        if let known = table.known.row(key) { return known }
        let found = try access.value(forKey: key, in: table.stored.rows)
        if let found { table.known.note(key, found) }
        return found
    }

    /// Forgets the rows of a table that were known in another version.
    private func beginKnowing(_ table: TableState) {
        if table.knownGeneration == 0 { recycling.tables.append(table) }
        table.known = RowAddressCache(rowCount: count(of: table))
        table.knownGeneration = generation.pointee.number
    }
}
