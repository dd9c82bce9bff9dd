import Measurement

/// The keys and values of all workloads, computed from a record's number wherever they are needed.
///
/// A key is 16 bytes that look random. A value of generation g is H bytes that look random, the
/// same H bytes again, and the first four of them if `valueByteCount` is not a multiple of 16; so
/// LZ4 and Snappy can halve it. Two of its words are chosen so that the sum of its words (`digest`)
/// depends on the record's number and not on the generation: a reader adds up every byte of every
/// value it is given, and the sum shows whether all of them belonged to the keys asked for, also
/// while a writer replaces values.
struct Records: Sendable {
    static let keyByteCount = 16
    /// Bytes of each value: a multiple of 16, or four more.
    let valueByteCount: Int
    private let wordCount: Int

    init(valueByteCount: Int) throws {
        try require(
            valueByteCount >= 32 && (valueByteCount % 16 == 0 || valueByteCount % 16 == 4),
            "The size of a value must be at least 32, and a multiple of 16 or 4 more.")
        self.valueByteCount = valueByteCount
        wordCount = valueByteCount / 16
    }

    /// Bytes of key and value of one record.
    var byteCount: Int { Self.keyByteCount + valueByteCount }

    /// The key of a record as two words, in memory order.
    @inline(__always)
    static func keyWords(_ number: UInt64) -> (UInt64, UInt64) {
        (
            RandomStream.mix(number &* 2 &+ 0x5EED_0001),
            RandomStream.mix(number &* 2 &+ 0x5EED_0002)
        )
    }

    /// Writes the key of a record into a buffer of 16 bytes.
    @inline(__always)
    static func writeKey(_ number: UInt64, to buffer: UnsafeMutableRawBufferPointer) {
        let words = keyWords(number)
        buffer.storeBytes(of: words.0, as: UInt64.self)
        buffer.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
    }

    /// Writes a record's value of one generation into a buffer of `valueByteCount` bytes.
    @inline(__always)
    func writeValue(
        _ number: UInt64, generation: UInt64, to buffer: UnsafeMutableRawBufferPointer
    ) {
        var stream = RandomStream(
            seed: RandomStream.mix(number) &+ generation &* 0xD1B5_4A32_D192_ED03)
        let half = wordCount * 8
        let first = stream.next() & 0xFFFF_FFFF_0000_0000 | Self.fixedLowWord(number)
        var sum = first
        store(first, at: 0, half: half, in: buffer)
        for index in 1..<(wordCount - 1) {
            let word = stream.next()
            sum &+= word
            store(word, at: index * 8, half: half, in: buffer)
        }
        store(Self.halfSum(number) &- sum, at: half - 8, half: half, in: buffer)
        if valueByteCount > 2 * half {
            buffer.storeBytes(
                of: UInt32(truncatingIfNeeded: first), toByteOffset: 2 * half, as: UInt32.self)
        }
    }

    @inline(__always)
    private func store(
        _ word: UInt64, at offset: Int, half: Int, in buffer: UnsafeMutableRawBufferPointer
    ) {
        buffer.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        buffer.storeBytes(of: word, toByteOffset: half + offset, as: UInt64.self)
    }

    /// What `digest(of:)` is for every generation of a record's value.
    @inline(__always)
    func digest(_ number: UInt64) -> UInt64 {
        let tail = valueByteCount % 16 == 4 ? Self.fixedLowWord(number) : 0
        return 2 &* Self.halfSum(number) &+ tail
    }

    /// The sum of all bytes of a value, eight at a time. Touches every byte.
    @inline(__always)
    static func digest(of value: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0
        var offset = 0
        let count = value.count
        guard let base = value.baseAddress else { return 0 }
        while offset &+ 8 <= count {
            sum &+= base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        if offset &+ 4 <= count {
            sum &+= UInt64(base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            offset &+= 4
        }
        while offset < count {
            sum &+= UInt64(base.load(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
        }
        return sum
    }

    @inline(__always)
    private static func halfSum(_ number: UInt64) -> UInt64 {
        RandomStream.mix(number &+ 0x1234_5678_9ABC_DEF1)
    }

    @inline(__always)
    private static func fixedLowWord(_ number: UInt64) -> UInt64 {
        RandomStream.mix(number &+ 0x0FED_CBA9_8765_4321) & 0xFFFF_FFFF
    }
}

/// Memory for one key and one value, so that timed loops allocate nothing.
struct RecordBuffer {
    let key: UnsafeMutableRawBufferPointer
    let value: UnsafeMutableRawBufferPointer

    init(_ records: Records) {
        key = .allocate(byteCount: Records.keyByteCount, alignment: 8)
        value = .allocate(byteCount: records.valueByteCount, alignment: 8)
    }

    /// Must be called once; copies of the struct share the memory.
    func deallocate() {
        key.deallocate()
        value.deallocate()
    }
}
