/// Changes of derived keyspaces, in order: what one change of a row, or of the elements of a
/// collection, asks for (O7).
///
/// `DerivedRules` makes the list of values alone; what becomes of it is another thing: a session
/// applies it (`RealmSession.apply`), a rebuilding puts it into empty keyspaces, and a verification
/// compares it with what is there. A list is filled, used and emptied again and again, with memory
/// that it keeps.
final class DerivedEntries {
    /// What happens to an entry.
    enum Change: UInt8 {
        /// The entry is new.
        case enter
        /// The entry is taken out.
        case remove
        /// One more link leads from the object to the target.
        case countUp
        /// One link less leads from the object to the target.
        case countDown
    }

    /// The change of one entry.
    struct Entry {
        var change: Change
        /// What the entry is of.
        var rule: DerivedRules.Origin
        var keyspace: UInt32
        /// Where its key is in `memory`.
        var start: Int
        var byteCount: Int
        /// The number that is stored under the key.
        var value: UInt64
        /// Whether no other object may have the same values.
        var isUnique = false
        /// How many bytes the keys of objects whose values are cut alike share; 0 if nothing was
        /// cut.
        var sharedByteCount = 0
    }

    @exclusivity(unchecked) private(set) var entries: [Entry] = []
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var end = 0
    /// Where keys are made that are longer than usual.
    @exclusivity(unchecked) private var scratch = IndexKey()

    init() {
        capacity = 1024
        memory = .allocate(byteCount: capacity, alignment: 8)
        entries.reserveCapacity(16)
    }

    deinit { memory.deallocate() }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether links are among the entries.
    @exclusivity(unchecked) private(set) var hasLinks = false

    /// Whether a list that comes in parts should be applied before more is added.
    var isFull: Bool { end > 1 << 16 }

    /// Takes all entries out.
    func removeAll() {
        entries.removeAll(keepingCapacity: true)
        end = 0
        hasLinks = false
    }

    /// The key of an entry, until the list is changed.
    @inline(__always)
    func key(of entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + entry.start, count: entry.byteCount)
    }

    // MARK: Adding

    /// Adds the entry of one value and the object that has it.
    @inline(__always)
    func append(
        _ change: Change, _ raw: _RawValue, _ rule: DerivedRules.SlotRule, of object: UInt64
    ) {
        reserve(IndexKey.shortByteCountMax)
        let room = UnsafeMutableRawBufferPointer(
            start: memory + end, count: IndexKey.shortByteCountMax)
        if let key = IndexKey.short(raw, type: rule.type, of: object, in: room) {
            append(change, .slot(rule.slot), rule.keyspace, value: object, byteCount: key.count)
        } else {
            appendLong(change, raw, rule, of: object)
        }
    }

    @inline(never)
    private func appendLong(
        _ change: Change, _ raw: _RawValue, _ rule: DerivedRules.SlotRule, of object: UInt64
    ) {
        scratch.set(raw, type: rule.type)
        scratch.append(object)
        append(change, .slot(rule.slot), rule.keyspace, scratch, value: object)
    }

    /// Adds the entry of a primary key: the object's own key belongs to it only if the value was
    /// cut.
    func append(
        _ change: Change, primaryKey raw: _RawValue, _ rule: DerivedRules.SlotRule,
        of object: UInt64
    ) {
        scratch.set(raw, type: rule.type)
        if scratch.isCut { scratch.append(object) }
        append(change, .slot(rule.slot), rule.keyspace, scratch, value: object)
    }

    /// Adds a link, to an object of the type that is given where that can vary.
    @inline(__always)
    func append(
        _ change: Change, linkTo target: UInt64, ofType type: UInt32?,
        _ rule: DerivedRules.SlotRule, of object: UInt64
    ) {
        reserve(20)
        hasLinks = true
        var byteCount = 0
        if let type {
            (memory + end).storeBytes(of: type.bigEndian, as: UInt32.self)
            byteCount = 4
        }
        (memory + end).storeBytes(of: target.bigEndian, toByteOffset: byteCount, as: UInt64.self)
        (memory + end).storeBytes(
            of: object.bigEndian, toByteOffset: byteCount + 8, as: UInt64.self)
        append(change, .slot(rule.slot), rule.keyspace, value: 1, byteCount: byteCount + 16)
    }

    /// Adds an entry with a key that was made elsewhere.
    func append(
        _ change: Change, _ rule: DerivedRules.Origin, _ keyspace: UInt32, _ key: IndexKey,
        value: UInt64, isUnique: Bool = false, sharedByteCount: Int = 0
    ) {
        key.withBytes { bytes in
            reserve(bytes.count)
            if let source = bytes.baseAddress {
                (memory + end).copyMemory(from: source, byteCount: bytes.count)
            }
            append(change, rule, keyspace, value: value, byteCount: bytes.count)
            entries[entries.count - 1].isUnique = isUnique
            entries[entries.count - 1].sharedByteCount = sharedByteCount
        }
    }

    /// Adds an entry whose key is in the memory already.
    @inline(__always)
    private func append(
        _ change: Change, _ rule: DerivedRules.Origin, _ keyspace: UInt32, value: UInt64,
        byteCount: Int
    ) {
        entries.append(
            Entry(
                change: change, rule: rule, keyspace: keyspace, start: end, byteCount: byteCount,
                value: value))
        end += byteCount
    }

    /// Takes out the last two entries if the one removes what the other enters; not if values were
    /// cut, which may be others now.
    func cancelLastPair() {
        guard entries.count >= 2 else { return }
        let (removed, entered) = (entries[entries.count - 2], entries[entries.count - 1])
        guard removed.change == .remove, entered.change == .enter, entered.sharedByteCount == 0,
            removed.value == entered.value, key(of: removed).isSame(as: key(of: entered))
        else { return }
        entries.removeLast(2)
        end = removed.start
    }

    // MARK: Memory

    @inline(__always)
    private func reserve(_ byteCount: Int) {
        if end + byteCount > capacity { grow(end + byteCount) }
    }

    private func grow(_ needed: Int) {
        let newCapacity = max(needed, 2 * capacity)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 8)
        larger.copyMemory(from: memory, byteCount: end)
        memory.deallocate()
        memory = larger
        capacity = newCapacity
    }
}

extension DerivedEntries.Entry {
    /// The key of the object that a link's entry leads to.
    func target(in key: UnsafeRawBufferPointer) -> UInt64 { objectKey(in: key, at: key.count - 16) }

    /// The type of the object that a link's entry leads to, where the type can vary.
    func targetType(in key: UnsafeRawBufferPointer) -> UInt32? {
        guard key.count == 20 else { return nil }
        return UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
    }
}
