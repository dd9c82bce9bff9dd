import TravertineStore

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
        /// The entry of the point that a link leads to is new; the key is that of the link, because
        /// values alone don't say where the point is.
        case enterPlace
        /// The entry of the point that a link leads to is taken out; the key is that of the link.
        case removePlace
        /// The value is added to that of the entry, which may hold several small numbers; an entry
        /// that is 0 then is taken out.
        case addBits
        /// The object has a token of its text as often as the value says, at the positions after
        /// the token, a 0 and the object key in the key; not at all for 0.
        case setPosting
    }

    /// The change of one entry, in 32 bytes.
    struct Entry: BitwiseCopyable {
        /// The number that is stored under the key.
        var value: UInt64
        var keyspace: KeyspaceID
        /// Where its key is in `memory`.
        fileprivate var start: UInt32
        fileprivate var byteCount: UInt32
        /// How many bytes the keys of objects whose values are cut alike share; 0 if nothing
        /// was cut.
        var sharedByteCount: UInt16
        /// A slot, or the position of an index after -1 and downwards.
        fileprivate var code: Int32
        var change: Change
        /// Whether no other object may have the same values.
        var isUnique: Bool

        /// What the entry is of.
        var origin: DerivedRules.Origin {
            @inline(__always) get { code >= 0 ? .slot(Int(code)) : .index(Int(-1 - code)) }
        }
    }

    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    @exclusivity(unchecked) private var entryCapacity: Int
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var end = 0
    /// Where keys are made that are longer than usual.
    @exclusivity(unchecked) private var scratch = IndexKey()
    /// Whether somebody fills or applies it: another list is needed then.
    @exclusivity(unchecked) var isInUse = false
    /// Whether links are among the entries.
    @exclusivity(unchecked) private(set) var hasLinks = false

    init() {
        capacity = 1024
        memory = .allocate(byteCount: capacity, alignment: 8)
        entryCapacity = 32
        entries = .allocate(capacity: entryCapacity)
    }

    deinit {
        memory.deallocate()
        entries.deallocate()
    }

    var isEmpty: Bool { @inline(__always) get { count == 0 } }

    /// The entry at a position below `count`.
    @inline(__always)
    subscript(position: Int) -> Entry {
        assert(position < count)
        return entries[position]
    }

    /// Whether a list that comes in parts should be applied before more is added.
    var isFull: Bool { end > 1 << 16 }

    /// Takes all entries out.
    func removeAll() {
        count = 0
        end = 0
        hasLinks = false
    }

    /// The key of an entry, until the list is changed.
    @inline(__always)
    func key(of entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + Int(entry.start), count: Int(entry.byteCount))
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
            append(
                change, Int32(truncatingIfNeeded: rule.slot), rule.keyspace, value: object,
                byteCount: key.count)
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
        append(
            change, Int32(truncatingIfNeeded: rule.slot), rule.keyspace, value: 1,
            byteCount: byteCount + 16)
    }

    /// Adds an entry of the point that a link leads to: an object of the type that is given where
    /// that can vary.
    func append(
        _ change: Change, placeOf target: UInt64, ofType type: UInt32, _ rule: DerivedRules.Origin,
        _ keyspace: KeyspaceID, object: UInt64
    ) {
        scratch.removeAll()
        withUnsafeBytes(of: type.bigEndian) { scratch.append(raw: $0) }
        scratch.append(target)
        append(change, rule, keyspace, scratch, value: object)
    }

    /// Adds an entry with a key that was made elsewhere.
    func append(
        _ change: Change, _ rule: DerivedRules.Origin, _ keyspace: KeyspaceID, _ key: IndexKey,
        value: UInt64, isUnique: Bool = false, sharedByteCount: Int = 0
    ) {
        let code: Int32 =
            switch rule {
            case .slot(let slot): Int32(slot)
            case .index(let position): -1 - Int32(position)
            }
        key.withBytes { bytes in
            reserve(bytes.count)
            if let source = bytes.baseAddress {
                (memory + end).copyMemory(from: source, byteCount: bytes.count)
            }
            append(
                change, code, keyspace, value: value, byteCount: bytes.count, isUnique: isUnique,
                sharedByteCount: sharedByteCount)
        }
    }

    /// Adds an entry whose key is in the memory already.
    @inline(__always)
    private func append(
        _ change: Change, _ code: Int32, _ keyspace: KeyspaceID, value: UInt64, byteCount: Int,
        isUnique: Bool = false, sharedByteCount: Int = 0
    ) {
        if count == entryCapacity { growEntries() }
        // A list that comes in parts is applied when it is full, and one text is less than 4 GB.
        (entries + count).initialize(
            to: Entry(
                value: value, keyspace: keyspace, start: UInt32(truncatingIfNeeded: end),
                byteCount: UInt32(truncatingIfNeeded: byteCount),
                sharedByteCount: UInt16(truncatingIfNeeded: sharedByteCount), code: code,
                change: change, isUnique: isUnique))
        count += 1
        end += byteCount
    }

    /// Takes out the last two entries if the one removes what the other enters; not if values were
    /// cut, which may be others now.
    func cancelLastPair() {
        guard count >= 2 else { return }
        let (removed, entered) = (entries[count - 2], entries[count - 1])
        guard removed.change == .remove, entered.change == .enter, entered.sharedByteCount == 0,
            removed.value == entered.value, key(of: removed).isSame(as: key(of: entered))
        else { return }
        count -= 2
        end = Int(removed.start)
    }

    // MARK: Memory

    @inline(__always)
    private func reserve(_ byteCount: Int) {
        if end + byteCount > capacity { grow(end + byteCount) }
    }

    private func growEntries() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * entryCapacity)
        larger.initialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        entryCapacity *= 2
    }

    private func grow(_ needed: Int) {
        memory.grow(&capacity, to: needed, keeping: end)
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
