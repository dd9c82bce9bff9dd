/// Numbers the different ones of texts, in the order in which they come.
struct TextNumbers {
    /// The different texts by their numbers.
    private(set) var texts: [UnsafeRawBufferPointer] = []
    /// How often each of them is there.
    private(set) var counts: [Int] = []
    /// Of each text that was given.
    private(set) var numbers: [Int32] = []
    private var hashes: [UInt64] = []
    /// Numbers plus 1 at places that hashes say, or the next free ones; 0 for none.
    private var places: [Int32]

    private static let firstPlaceCount = 4096
    /// So many places are looked at for one text: with more, hashes distribute too badly.
    private static let probeCountMax = 64

    /// Nil if more than `countMax` are different, or if they can't be found fast enough.
    init?(_ all: [TextOrder.Text], countMax: Int) {
        places = Array(repeating: 0, count: Self.firstPlaceCount)
        numbers.reserveCapacity(all.count)
        for text in all {
            guard let number = number(of: text.bytes), texts.count <= countMax else { return nil }
            counts[number] += 1
            numbers.append(Int32(truncatingIfNeeded: number))
        }
    }

    private mutating func number(of text: UnsafeRawBufferPointer) -> Int? {
        let hash = Self.hash(text)
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        for _ in 0..<Self.probeCountMax {
            let found = Int(places[place]) - 1
            if found < 0 {
                places[place] = Int32(truncatingIfNeeded: texts.count + 1)
                texts.append(text)
                hashes.append(hash)
                counts.append(0)
                if texts.count * 2 > places.count { guard grow() else { return nil } }
                return texts.count - 1
            }
            if hashes[found] == hash, texts[found].isSame(as: text) { return found }
            place = (place + 1) & mask
        }
        return nil
    }

    private mutating func grow() -> Bool {
        var larger = [Int32](repeating: 0, count: places.count * 4)
        let mask = larger.count - 1
        for (number, hash) in hashes.enumerated() {
            var place = Int(truncatingIfNeeded: hash) & mask
            var probeCount = 0
            while larger[place] != 0 {
                place = (place + 1) & mask
                probeCount += 1
                if probeCount == Self.probeCountMax { return false }
            }
            larger[place] = Int32(truncatingIfNeeded: number + 1)
        }
        places = larger
        return true
    }

    /// A hash of eight bytes at a time; the last ones overlap those before.
    @inline(__always)
    private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        var hash = mixed(UInt64(text.count) ^ 0x9e37_79b9_7f4a_7c15)
        if text.count < 8 { return mixed(hash ^ RowSorter.prefix(of: text)) }
        var offset = 0
        while offset &+ 8 < text.count {
            hash = mixed(hash ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        let last = text.loadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
        return mixed(hash ^ last)
    }

    @inline(__always)
    private static func mixed(_ bits: UInt64) -> UInt64 {
        let (high, low) = bits.multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
        return high ^ low
    }
}
