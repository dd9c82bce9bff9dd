import TravertineStore

/// Writes one row at a time, in one pass, into memory that it keeps.
///
/// Public because `_Persistable` has it in its requirements; its members are not.
///
/// A number that does not fit the layout's width, or an end that does not fit, is noted as a
/// misfit; the caller then widens the layout and encodes again, which happens a few times in a
/// type's life.
public final class _RowEncoder {
    @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var end = 0
    @exclusivity(unchecked) private var endMax: UInt64 = 0
    @exclusivity(unchecked) private var places: UnsafePointer<_FieldOffset>
    @exclusivity(unchecked) private var binding: LayoutBinding?
    /// Whether a row is being made: its layout must not change.
    @exclusivity(unchecked) var isInUse = false
    /// Set when the row can't be stored in this layout.
    @exclusivity(unchecked) private(set) var hasMisfit = false
    /// Widths that misfitting numbers need, by slot.
    @exclusivity(unchecked) private(set) var neededWidths: [Int: Int] = [:]
    /// The width that ends of pieces need.
    var neededEndWidth: Int { end <= 0xFF ? 1 : end <= 0xFFFF ? 2 : 4 }

    init() {
        capacity = 512
        base = .allocate(byteCount: capacity, alignment: 8)
        places = UnsafePointer(base.assumingMemoryBound(to: _FieldOffset.self))
    }

    deinit { base.deallocate() }

    /// The row so far; valid until the next `begin`.
    var row: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: end) }

    /// The layout of the row, which lives until the next `begin`.
    var usedBinding: Unmanaged<LayoutBinding> {
        guard let binding else { misuse("no row was begun") }
        return Unmanaged.passUnretained(binding)
    }

    /// Starts a row of a layout.
    func begin(_ binding: LayoutBinding) {
        if self.binding !== binding { self.binding = binding }
        places = UnsafePointer(binding.places)
        end = Int(binding.layout.fixedByteCount)
        endMax = binding.endMax
        hasMisfit = false
        if !neededWidths.isEmpty { neededWidths.removeAll() }
        reserve(end)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: end)
        base.storeBytes(of: binding.layout.number.littleEndian, as: UInt16.self)
    }

    /// Stores a value. Variable properties come in the order of the layout, each once.
    func put(_ raw: _RawValue, at slot: Int) {
        switch raw {
        case .word(let word): putWord(word, at: slot)
        case .bytes(let bytes): putBytes(bytes, at: slot)
        case .null: putNull(at: slot)
        }
    }

    @inline(__always)
    func putWord(_ word: Int64, at slot: Int) {
        let place = places[slot]
        let shift = Int64(place.shift)
        guard (word &<< shift) &>> shift == word else {
            hasMisfit = true
            neededWidths[slot] = Layout.width(of: word)
            return
        }
        let target = base + Int(place.offset)
        switch place.shift {
        case 0: target.storeBytes(of: word.littleEndian, as: Int64.self)
        case 32:
            (target + 4).storeBytes(
                of: Int32(truncatingIfNeeded: word).littleEndian, as: Int32.self)
        case 48:
            (target + 6).storeBytes(
                of: Int16(truncatingIfNeeded: word).littleEndian, as: Int16.self)
        default: (target + 7).storeBytes(of: Int8(truncatingIfNeeded: word), as: Int8.self)
        }
    }

    @inline(__always)
    func putBytes(_ bytes: UnsafeRawBufferPointer, at slot: Int) {
        guard let binding else { return }
        if case .fixed(let count) = binding.shapes[slot] {
            guard bytes.count == Int(count), let source = bytes.baseAddress else { return }
            (base + Int(places[slot].offset)).copyMemory(from: source, byteCount: Int(count))
            return
        }
        putVariable(bytes, at: slot)
    }

    @inline(__always)
    func putVariable(_ bytes: UnsafeRawBufferPointer, at slot: Int) {
        if let source = bytes.baseAddress, bytes.count > 0 {
            reserve(end + bytes.count)
            (base + end).copyMemory(from: source, byteCount: bytes.count)
            end += bytes.count
        }
        putEnd(at: slot)
    }

    /// Stores a link to an object that has its key.
    func putLink(to target: ObjectBase, at slot: Int) {
        if places[slot].isVarying {
            MixedCode.encode(objectOfType: target.table.stored.number, key: target.key)
                .withUnsafeBytes { putVariable($0, at: slot) }
        } else {
            putWord(Int64(bitPattern: target.key), at: slot)
        }
    }

    @inline(__always)
    func putNull(at slot: Int) {
        let bit = places[slot].nullBit
        if bit != 0 {
            let byte = base + Int(bit >> 3)
            byte.storeBytes(of: byte.load(as: UInt8.self) | (1 << UInt8(bit & 7)), as: UInt8.self)
        }
        if binding?.shapes[slot] == .variable { putEnd(at: slot) }
    }

    @inline(__always)
    private func putEnd(at slot: Int) {
        guard UInt64(end) <= endMax else {
            hasMisfit = true
            return
        }
        let place = places[slot]
        let target = base + Int(place.offset)
        switch place.shift {
        case 32: (target + 4).storeBytes(of: UInt32(end).littleEndian, as: UInt32.self)
        case 48: (target + 6).storeBytes(of: UInt16(end).littleEndian, as: UInt16.self)
        default: (target + 7).storeBytes(of: UInt8(end), as: UInt8.self)
        }
    }

    @inline(__always)
    private func reserve(_ byteCount: Int) {
        if byteCount > capacity { grow(to: byteCount) }
    }

    private func grow(to byteCount: Int) {
        base.grow(&capacity, to: byteCount, keeping: min(end, capacity))
    }
}
