/// A set of numbers of properties. Small ones, as nearly all are, allocate nothing.
struct PropertyNumbers: Hashable, Sendable {
    private var low: UInt64 = 0
    /// The numbers from 64 on, ascending.
    private var others: [UInt32] = []

    /// No numbers.
    init() {}

    static func == (left: PropertyNumbers, right: PropertyNumbers) -> Bool {
        left.low == right.low
            && (left.others.isEmpty ? right.others.isEmpty : left.others == right.others)
    }

    /// These numbers.
    init(_ numbers: some Sequence<UInt32>) {
        for number in numbers { insert(number) }
    }

    var isEmpty: Bool { low == 0 && others.isEmpty }

    func contains(_ number: UInt32) -> Bool {
        number < 64 ? low & 1 << UInt64(number) != 0 : others.contains(number)
    }

    mutating func insert(_ number: UInt32) {
        if number < 64 {
            low |= 1 << UInt64(number)
        } else if let place = others.firstIndex(where: { $0 >= number }) {
            if others[place] != number { others.insert(number, at: place) }
        } else {
            others.append(number)
        }
    }

    mutating func formUnion(_ other: PropertyNumbers) {
        low |= other.low
        for number in other.others { insert(number) }
    }

    /// Whether both have a number.
    func intersects(_ other: PropertyNumbers) -> Bool {
        low & other.low != 0 || others.contains(where: other.others.contains)
    }

    /// Whether one of the numbers is such; nothing is allocated.
    func contains(where predicate: (UInt32) -> Bool) -> Bool {
        var bits = low
        while bits != 0 {
            if predicate(UInt32(bits.trailingZeroBitCount)) { return true }
            bits &= bits &- 1
        }
        return others.contains(where: predicate)
    }

    /// The numbers, ascending.
    var all: [UInt32] { (0..<64).filter { low & 1 << UInt64($0) != 0 } + others }
}
