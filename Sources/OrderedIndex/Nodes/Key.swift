#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The bytes of a key that is being looked for, with the words of it that searches compare.
@usableFromInline
struct Key: BitwiseCopyable {
    /// The longest key.
    static let byteCountMax = 512
    /// Room for a key, and for what copying in whole words may overwrite after it.
    static var bufferByteCount: Int { byteCountMax + 16 }

    let start: UnsafeRawPointer
    let count: Int

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no address; none of its bytes is read.
        start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
        count = bytes.count
    }

    @inline(__always)
    init(start: UnsafeRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// The head after `offset`: four bytes, zeros after the end of the key, as an integer whose
    /// signed order is the order of the bytes.
    @inline(__always)
    func head(from offset: Int) -> Int32 {
        if count &- offset >= 4 {
            let word = (start + offset).loadUnaligned(as: UInt32.self)
            return Int32(bitPattern: UInt32(bigEndian: word) ^ 0x8000_0000)
        }
        return shortHead(from: offset)
    }

    @inline(never)
    func shortHead(from offset: Int) -> Int32 {
        var word: UInt32 = 0
        for position in 0..<4 {
            word <<= 8
            if offset + position < count {
                word |= UInt32((start + offset + position).load(as: UInt8.self))
            }
        }
        return Int32(bitPattern: word ^ 0x8000_0000)
    }

    /// The number of leading bytes that two keys share.
    func commonPrefixByteCount(with other: Key) -> Int {
        let limit = min(count, other.count)
        var length = 0
        while length &+ 8 <= limit {
            let difference =
                (start + length).loadUnaligned(as: UInt64.self)
                ^ (other.start + length).loadUnaligned(as: UInt64.self)
            if difference != 0 {
                return length + UInt64(littleEndian: difference).trailingZeroBitCount / 8
            }
            length &+= 8
        }
        while length < limit,
            (start + length).load(as: UInt8.self) == (other.start + length).load(as: UInt8.self)
        {
            length &+= 1
        }
        return length
    }

    /// Negative, 0 or positive as the key comes before `other`, equals it, or comes after it.
    func compare(with other: Key) -> Int {
        let order = memcmp(start, other.start, min(count, other.count))
        return order != 0 ? Int(order) : count - other.count
    }
}
