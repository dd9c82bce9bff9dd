/// The values of one object in their stored form, on their way into a row.
///
/// For code that makes many objects of data in another form, without handles: a draft is filled by
/// slots, stored by `RowType.store`, cleared, and filled again. It keeps its memory, so that all
/// but large collections and values of any type take no allocation.
package final class ObjectDraft {
    enum State: UInt8 {
        case absent
        case null
        case word
        case bytes
        /// A collection: room for the piece's header, then the elements.
        case elements
    }

    struct Entry {
        var state = State.absent
        var word: Int64 = 0
        var offset = 0
        var byteCount = 0
        var count = 0
    }

    /// The type of the object.
    package let type: RowType
    @exclusivity(unchecked) private(set) var entries: [Entry]
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity = 1024
    @exclusivity(unchecked) private var end = 0
    /// The most bytes of an element.
    @exclusivity(unchecked) private var largestElement = 0
    /// The collection that elements are added to, and how its elements are written.
    @exclusivity(unchecked) private var openSlot = -1
    @exclusivity(unchecked) private var isOpenMap = false
    @exclusivity(unchecked) private var isOpenOptional = false
    @exclusivity(unchecked) private var openWidth = 8
    /// Embedded objects, which are stored before this one, under keys that they have already.
    @exclusivity(unchecked) private(set) var children: [(draft: ObjectDraft, key: UInt64)] = []
    /// Values that need the object's key: collections in values of any type, and their links.
    @exclusivity(unchecked) private(set) var later: [(slot: Int, value: Any)] = []

    /// An empty draft of a type.
    package init(_ type: RowType) {
        self.type = type
        entries = Array(repeating: Entry(), count: type.fields.count)
        memory = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Forgets all values.
    package func clear() {
        for slot in entries.indices { entries[slot] = Entry() }
        end = 0
        largestElement = 0
        openSlot = -1
        if !children.isEmpty { children.removeAll() }
        if !later.isEmpty { later.removeAll() }
    }

    /// Whether a property was given a value.
    package func isSet(_ slot: Int) -> Bool { entries[slot].state != .absent }

    // MARK: Single values

    /// Gives a property no value.
    package func setNull(_ slot: Int) { entries[slot].state = .null }

    /// Gives a property a number or the bits of one, or the object key of a link.
    package func setWord(_ slot: Int, _ word: Int64) {
        entries[slot].state = .word
        entries[slot].word = word
    }

    /// Gives a property bytes, which are copied.
    package func setBytes(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        entries[slot] = Entry(state: .bytes, offset: end, byteCount: bytes.count)
        append(bytes)
    }

    /// Gives a property a value of any type that is neither link nor collection.
    package func setMixed(_ slot: Int, _ value: AnyRealmValue) {
        if let bytes = MixedCode.encode(plain: value) {
            bytes.withUnsafeBytes { setBytes(slot, $0) }
        } else {
            setLater(slot, value)
        }
    }

    /// Gives a property what is set by name once the object is stored.
    package func setLater(_ slot: Int, _ value: Any) {
        entries[slot] = Entry(state: .bytes)
        later.append((slot, value))
    }

    /// Takes an embedded object in; gives the key that a property or an element links to it by.
    package func adopt(_ child: ObjectDraft) throws -> Int64 {
        let key = try type.session.nextKey(child.type.table)
        children.append((child, key))
        return Int64(bitPattern: key)
    }

    /// The value that links to an object where values name the types of their objects.
    package func name(_ type: RowType, _ key: Int64) -> [UInt8] {
        MixedCode.encode(
            objectOfType: type.table.stored.number, key: UInt64(bitPattern: key))
    }

    // MARK: Collections

    /// Begins a collection; elements follow until `endElements`.
    package func beginElements(_ slot: Int) {
        let field = type.fields[slot]
        entries[slot] = Entry(state: .elements, offset: end)
        openSlot = slot
        isOpenMap = field.collection == .map
        isOpenOptional = field.isOptional
        openWidth = field.type.elementByteCount ?? 0
        reserve(CollectionPiece.inlineHeaderByteCount)
        end += CollectionPiece.inlineHeaderByteCount
    }

    /// Begins the next element of a map, which has a key.
    package func addKey(_ key: UnsafeRawBufferPointer) { appendCounted(key) }

    /// Adds an element that is null: where elements are optional.
    package func addNull() {
        entries[openSlot].count += 1
        if isOpenOptional {
            appendByte(0)
        } else {
            for _ in 0..<max(1, openWidth) { appendByte(0) }
        }
    }

    /// Adds an element that is a number or the bits of one.
    package func addWord(_ word: Int64) {
        entries[openSlot].count += 1
        if isOpenOptional { appendByte(1) }
        reserve(8)
        (memory + end).storeBytes(of: word.littleEndian, as: Int64.self)
        end += openWidth
    }

    /// Adds an element that is bytes, which are copied.
    package func addBytes(_ bytes: UnsafeRawBufferPointer) {
        entries[openSlot].count += 1
        if bytes.count > largestElement { largestElement = bytes.count }
        if isOpenOptional { appendByte(1) }
        if openWidth == 0 { appendCounted(bytes) } else { append(bytes) }
    }

    /// Adds an element that is a value of any type, neither link nor collection.
    package func addMixed(_ value: AnyRealmValue) {
        (MixedCode.encode(plain: value) ?? []).withUnsafeBytes { addBytes($0) }
    }

    /// Ends the collection; false if elements of a set, or keys of a map, were the same.
    package func endElements() -> Bool {
        let slot = openSlot
        openSlot = -1
        var entry = entries[slot]
        let start = entry.offset + CollectionPiece.inlineHeaderByteCount
        var isUnique = true
        if type.fields[slot].collection != .list, entry.count > 1 {
            let batch = ElementBatch(bytes: Array(bytes(start, end - start)), count: entry.count)
            let sorted = type.runs[slot].sorted(batch)
            isUnique = sorted.count == entry.count
            entry.count = sorted.count
            end = start
            sorted.bytes.withUnsafeBytes { append($0) }
        }
        entry.byteCount = end - start
        entries[slot] = entry
        if entry.byteCount <= CollectionPiece.inlineByteCountMax {
            closeInline(slot)
        }
        return isUnique
    }

    /// Writes the header of a piece that stays in the row.
    private func closeInline(_ slot: Int) {
        let entry = entries[slot]
        entries[slot].state = .bytes
        if entry.count == 0 {
            entries[slot].byteCount = 0
            return
        }
        (memory + entry.offset).storeBytes(of: 0, as: UInt8.self)
        (memory + entry.offset + 1).storeBytes(
            of: UInt32(clamping: entry.count).littleEndian, as: UInt32.self)
        entries[slot].byteCount += CollectionPiece.inlineHeaderByteCount
    }

    /// The elements of a collection that is too large for the row; nil for all others.
    func largeBatch(_ slot: Int) -> ElementBatch? {
        let entry = entries[slot]
        guard entry.state == .elements else { return nil }
        let start = entry.offset + CollectionPiece.inlineHeaderByteCount
        return ElementBatch(bytes: Array(bytes(start, entry.byteCount)), count: entry.count)
    }

    /// The elements of a collection that is in the row.
    func inlineBatch(_ slot: Int) -> ElementBatch {
        let entry = entries[slot]
        let header = CollectionPiece.inlineHeaderByteCount
        guard entry.byteCount > header else { return ElementBatch() }
        return ElementBatch(
            bytes: Array(bytes(entry.offset + header, entry.byteCount - header)),
            count: entry.count)
    }

    // MARK: Stored form

    /// A property's value, valid until the draft is changed; nil if it was given none.
    @inline(__always)
    func raw(_ slot: Int) -> _RawValue? {
        let entry = entries[slot]
        switch entry.state {
        case .absent, .elements: return nil
        case .null: return .null
        case .word: return .word(entry.word)
        case .bytes: return .bytes(bytes(entry.offset, entry.byteCount))
        }
    }

    /// The bytes that all values take.
    var byteCount: Int { end }

    /// The bytes of the row's values, or of the largest element if that is more: collections that
    /// are too large for the row are stored in pieces.
    var largestPieceByteCount: Int {
        let row = entries.reduce(0) { $0 + ($1.state == .bytes ? $1.byteCount : 0) }
        return max(row, largestElement)
    }

    private func bytes(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + offset, count: count)
    }

    // MARK: Memory

    @inline(__always)
    private func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (memory + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    private func appendByte(_ byte: UInt8) {
        reserve(1)
        (memory + end).storeBytes(of: byte, as: UInt8.self)
        end += 1
    }

    /// Adds bytes with their length before them.
    @inline(__always)
    private func appendCounted(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes.count
        while rest >= 0x80 {
            appendByte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        appendByte(UInt8(rest))
        append(bytes)
    }

    @inline(__always)
    private func reserve(_ count: Int) {
        if end + count > capacity { grow(end + count) }
    }

    private func grow(_ needed: Int) {
        memory.grow(&capacity, to: needed, keeping: end)
    }
}
