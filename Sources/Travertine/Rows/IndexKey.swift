#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Builds the keys of derived keyspaces: values in an encoding whose byte order is their order.
///
/// A value is a tag (0 null, 1 value) and then: numbers as eight bytes, big-endian, with the sign
/// flipped; floating-point numbers so that NaN comes before everything and -0 equals 0; identifiers
/// as they are; strings and data with each 0 as 0 255, at most 128 bytes of them, ended by 0 1, or
/// by 0 2 if something was cut off. What is equal up to a cut must be compared in the rows.
struct IndexKey {
    /// The most bytes of a string or of data in a key.
    static let prefixByteCountMax = 128

    private(set) var bytes: [UInt8] = []
    /// Whether the key has only the beginning of the value.
    private(set) var isCut = false

    init() { bytes.reserveCapacity(64) }

    /// Starts over with a value.
    mutating func set(_ raw: _RawValue, type: PropertyType) {
        bytes.removeAll(keepingCapacity: true)
        isCut = false
        append(raw, type: type, prefixByteCountMax: Self.prefixByteCountMax)
    }

    /// Starts over with nothing, for the values of several properties.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        isCut = false
    }

    /// Starts over with a word of a text, and the 0 after it that no word has.
    mutating func set(word: String) {
        removeAll()
        bytes.append(contentsOf: word.utf8)
        bytes.append(0)
    }

    /// Starts over with a unit of a text, and a byte after it that no unit has.
    mutating func set(token: UnsafeRawBufferPointer, mark: UInt8 = 0) {
        removeAll()
        bytes.append(contentsOf: token)
        bytes.append(mark)
    }

    /// Starts over with what a number of a full-text index as a whole is stored under.
    mutating func set(statistic: UInt8) {
        removeAll()
        bytes.append(0)
        bytes.append(statistic)
    }

    /// Adds the number of the block of 2^`shift` objects that an object is in: how many bytes
    /// follow, and these; 16 more for the upper half of all keys, counted from its middle (5.7).
    mutating func append(blockOf object: UInt64, shift: UInt64) {
        let isUpper = object >> 63 != 0
        let block = (object & ~(1 << 63)) >> shift
        let byteCount = (71 - block.leadingZeroBitCount) / 8
        bytes.append(UInt8(byteCount) | (isUpper ? 16 : 0))
        for position in stride(from: byteCount - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: block >> (8 * UInt64(position))))
        }
    }

    /// The key of the first object of the block whose number is at an offset of a key; nil if the
    /// key is none with a block.
    @inline(__always)
    static func firstObject(
        ofBlockIn key: UnsafeRawBufferPointer, at offset: Int, shift: UInt64
    ) -> UInt64? {
        guard offset < key.count else { return nil }
        let head = key[offset]
        let byteCount = Int(head & 15)
        guard byteCount <= 8, offset + 1 + byteCount == key.count else { return nil }
        var block: UInt64 = 0
        for position in 0..<byteCount { block = block << 8 | UInt64(key[offset + 1 + position]) }
        return block << shift | (head & 16 != 0 ? 1 << 63 : 0)
    }

    /// Adds a value, of which at most so many bytes if it is a string or data.
    mutating func append(_ raw: _RawValue, type: PropertyType, prefixByteCountMax: Int) {
        switch raw {
        case .null where type == .any:
            // In a row that is no bytes.
            append(
                .bytes(UnsafeRawBufferPointer(start: nil, count: 0)), type: type,
                prefixByteCountMax: prefixByteCountMax)
        case .null: bytes.append(0)
        case .word(let word):
            bytes.append(1)
            append(Self.ordered(word, type: type))
        case .bytes(let value):
            bytes.append(1)
            if type == .decimal128, value.count == 16 {
                let key = Decimal128(stored: value).orderingKey.bigEndian
                withUnsafeBytes(of: key) { bytes.append(contentsOf: $0) }
            } else if type == .any {
                MixedCode.withNormal(value) { appendEscaped($0, prefixByteCountMax) }
            } else if case .fixed = type.shape {
                bytes.append(contentsOf: value)
            } else {
                appendEscaped(value, prefixByteCountMax)
            }
        }
    }

    /// Starts over with a number, eight bytes, big-endian.
    mutating func set(_ number: UInt64) {
        bytes.removeAll(keepingCapacity: true)
        append(number)
    }

    /// Starts over with what an entry of backlinks begins with: the target's key, after its type
    /// where that can vary.
    mutating func set(backlinkTo target: UInt64, ofType type: UInt32?) {
        bytes.removeAll(keepingCapacity: true)
        if let type { withUnsafeBytes(of: type.bigEndian) { bytes.append(contentsOf: $0) } }
        append(target)
    }

    /// Adds one byte.
    mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Adds the distance of a posting and how often its object has the token (5.7).
    mutating func append(distance: UInt64, _ count: UInt64) {
        PostingFormat.append(distance: distance, count, to: &bytes)
    }

    /// Adds bytes as they are.
    mutating func append(raw: UnsafeRawBufferPointer) { bytes.append(contentsOf: raw) }

    /// Adds a number, eight bytes, big-endian.
    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// A number whose unsigned order is the order of the values.
    static func ordered(_ word: Int64, type: PropertyType) -> UInt64 {
        switch type {
        case .double, .date: ordered(Double(bitPattern: UInt64(bitPattern: word)))
        case .float: ordered(Double(Float(bitPattern: UInt32(truncatingIfNeeded: word))))
        default: UInt64(bitPattern: word) ^ (1 << 63)
        }
    }

    private static func ordered(_ number: Double) -> UInt64 {
        if number.isNaN { return 0 }
        let bits = number == 0 ? 0 : number.bitPattern
        return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    }

    private mutating func appendEscaped(_ value: UnsafeRawBufferPointer, _ countMax: Int) {
        let taken = UnsafeRawBufferPointer(rebasing: value.prefix(countMax))
        if let start = taken.baseAddress, memchr(start, 0, taken.count) == nil {
            bytes.append(contentsOf: taken)
        } else {
            for byte in taken {
                bytes.append(byte)
                if byte == 0 { bytes.append(255) }
            }
        }
        bytes.append(0)
        bytes.append(value.count > countMax ? 2 : 1)
        if value.count > countMax { isCut = true }
    }

    /// The room that `short` needs: tag, value, end and object key.
    static let shortByteCountMax = 1 + prefixByteCountMax + 2 + 8

    /// The key of an entry of one value and an object key, as `set` and `append` make it, in other
    /// memory; nil for a value that takes more than to be copied.
    @inline(__always)
    static func short(
        _ raw: _RawValue, type: PropertyType, of object: UInt64,
        in room: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard let start = room.baseAddress else { return nil }
        var count = 1
        switch raw {
        case .null: return nil
        case .word(let word):
            let ordered = ordered(word, type: type)
            start.storeBytes(of: ordered.bigEndian, toByteOffset: 1, as: UInt64.self)
            count += 8
        case .bytes(let value):
            guard type == .string || type == .data, value.count <= prefixByteCountMax else {
                return nil
            }
            if let bytes = value.baseAddress, value.count > 0 {
                if memchr(bytes, 0, value.count) != nil { return nil }
                (start + 1).copyMemory(from: bytes, byteCount: value.count)
            }
            count += value.count
            start.storeBytes(of: UInt16(0x0001).bigEndian, toByteOffset: count, as: UInt16.self)
            count += 2
        }
        start.storeBytes(of: 1, as: UInt8.self)
        start.storeBytes(of: object.bigEndian, toByteOffset: count, as: UInt64.self)
        return UnsafeRawBufferPointer(start: start, count: count + 8)
    }

    /// Calls `body` with the key's bytes.
    @inline(__always)
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}

/// Calls `body` with the eight bytes, big-endian, of an object key: its key in a table's rows.
@inline(__always)
func withObjectKey<Result, Failure: Error>(
    _ key: UInt64, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    var bigEndian = key.bigEndian
    return try withUnsafePointer(to: &bigEndian) { (pointer) throws(Failure) in
        try body(UnsafeRawBufferPointer(start: pointer, count: 8))
    }
}

/// The object key in eight bytes, big-endian, at an offset of a key.
@inline(__always)
func objectKey(in key: UnsafeRawBufferPointer, at offset: Int = 0) -> UInt64 {
    guard key.count >= offset + 8 else { return 0 }
    return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
}
