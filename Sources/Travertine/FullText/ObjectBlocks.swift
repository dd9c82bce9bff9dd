/// Sets of objects as blocks of 16 whose entries of a full-text index are one number.
///
/// A number has four bits for each object of its block: how often it has a token, or here only
/// whether it is in the set, in the lowest of the four.
struct ObjectBlocks {
    /// The lowest bit of each object's four.
    static let lowBits: UInt64 = 0x1111_1111_1111_1111

    /// The first object of each block, ascending.
    private(set) var firsts: [UInt64] = []
    /// Of each block: the lowest bit of an object's four, if it is in the set.
    private(set) var bits: [UInt64] = []

    var isEmpty: Bool { firsts.isEmpty }

    init() {}

    /// The objects that have a token.
    init(_ postings: Postings) {
        firsts = postings.firsts
        bits = postings.counts.map { Self.presence($0) }
    }

    /// The objects whose four bits are not 0.
    @inline(__always)
    static func presence(_ counts: UInt64) -> UInt64 {
        let pairs = counts | counts >> 1
        return (pairs | pairs >> 2) & lowBits
    }

    /// The number of objects.
    var count: Int { bits.reduce(0) { $0 + $1.nonzeroBitCount } }

    @inline(__always)
    mutating func append(_ first: UInt64, _ found: UInt64) {
        if found == 0 { return }
        firsts.append(first)
        bits.append(found)
    }

    /// Adds objects of blocks after all others.
    mutating func append(_ others: ObjectBlocks) {
        if isEmpty {
            self = others
        } else {
            firsts += others.firsts
            bits += others.bits
        }
    }

    /// The objects of some blocks, by their positions.
    func part(_ positions: Range<Int>) -> ObjectBlocks {
        var part = ObjectBlocks()
        part.firsts = Array(firsts[positions])
        part.bits = Array(bits[positions])
        return part
    }

    /// The objects in ascending order.
    var keys: [UInt64] {
        var keys: [UInt64] = []
        keys.reserveCapacity(count)
        for position in firsts.indices {
            var rest = bits[position]
            while rest != 0 {
                keys.append(firsts[position] | UInt64(rest.trailingZeroBitCount) >> 2)
                rest &= rest &- 1
            }
        }
        return keys
    }

    /// The objects for which `isIncluded` is true; it is called with each, in ascending order.
    func filter(_ isIncluded: (UInt64) -> Bool) -> ObjectBlocks {
        var found = ObjectBlocks()
        for position in firsts.indices {
            var (rest, left) = (bits[position], UInt64(0))
            while rest != 0 {
                let shift = rest.trailingZeroBitCount
                if isIncluded(firsts[position] | UInt64(shift) >> 2) { left |= 1 << UInt64(shift) }
                rest &= rest &- 1
            }
            found.append(firsts[position], left)
        }
        return found
    }

    /// The objects of both sets. Steps over the longer one in growing strides.
    func intersection(_ other: ObjectBlocks) -> ObjectBlocks {
        let (few, many) = firsts.count <= other.firsts.count ? (self, other) : (other, self)
        var found = ObjectBlocks()
        var place = 0
        for position in few.firsts.indices {
            let first = few.firsts[position]
            place = many.position(notBefore: first, from: place)
            if place == many.firsts.count { break }
            if many.firsts[place] == first {
                found.append(first, few.bits[position] & many.bits[place])
            }
        }
        return found
    }

    /// The objects of this set that are not in the other.
    func subtracting(_ other: ObjectBlocks) -> ObjectBlocks {
        var found = ObjectBlocks()
        var place = 0
        for position in firsts.indices {
            let first = firsts[position]
            place = other.position(notBefore: first, from: place)
            let isShared = place < other.firsts.count && other.firsts[place] == first
            found.append(first, isShared ? bits[position] & ~other.bits[place] : bits[position])
        }
        return found
    }

    /// The objects of either set.
    func union(_ other: ObjectBlocks) -> ObjectBlocks {
        var found = ObjectBlocks()
        var (left, right) = (0, 0)
        while left < firsts.count || right < other.firsts.count {
            let leftFirst = left < firsts.count ? firsts[left] : .max
            let rightFirst = right < other.firsts.count ? other.firsts[right] : .max
            let first = min(leftFirst, rightFirst)
            var both: UInt64 = 0
            if left < firsts.count, leftFirst == first {
                both |= bits[left]
                left += 1
            }
            if right < other.firsts.count, rightFirst == first {
                both |= other.bits[right]
                right += 1
            }
            found.append(first, both)
        }
        return found
    }

    /// The position of the first block at or after one, looked for in growing strides.
    @inline(__always)
    private func position(notBefore first: UInt64, from start: Int) -> Int {
        SortedKeys.position(in: firsts, notBefore: first, from: start)
    }
}

/// How often objects have a token, in blocks of 16.
struct Postings {
    /// The first object of each block, ascending.
    var firsts: [UInt64] = []
    /// Of each block, four bits for each object; 15 stands for that number or more.
    var counts: [UInt64] = []

    /// Adds a block, if one of its objects has the token.
    @inline(__always)
    mutating func append(_ first: UInt64, _ numbers: UInt64) {
        if numbers == 0 { return }
        firsts.append(first)
        counts.append(numbers)
    }

    /// Puts the blocks in order, and adds those of one block up, each object's to at most 15: of
    /// the words with one beginning.
    mutating func normalise() {
        let order = firsts.indices.sorted { firsts[$0] < firsts[$1] }
        var result = Postings()
        result.firsts.reserveCapacity(firsts.count)
        result.counts.reserveCapacity(firsts.count)
        for position in order {
            if result.firsts.last == firsts[position] {
                let last = result.counts.count - 1
                result.counts[last] = Self.sum(result.counts[last], counts[position])
            } else {
                result.firsts.append(firsts[position])
                result.counts.append(counts[position])
            }
        }
        self = result
    }

    /// The sums of each four bits, at most 15.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 4) {
            result |= min(15, (left >> shift & 15) + (right >> shift & 15)) << shift
        }
        return result
    }
}
