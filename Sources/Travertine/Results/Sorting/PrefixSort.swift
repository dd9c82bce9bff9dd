/// Sorts positions by the first eight bytes of what is at them; equal ones stay as they are.
enum PrefixSort {
    /// The position of a row, and the first bytes of its value as a number.
    struct Item {
        var prefix: UInt64
        var position: Int
    }

    /// Up to so many items are sorted by inserting: sorting by digits pays after that.
    private static let insertionCountMax = 48
    private static let digitCount = 8

    /// Sorts items; `scratch` has the same size.
    static func sort(
        _ items: UnsafeMutableBufferPointer<Item>, _ scratch: UnsafeMutableBufferPointer<Item>
    ) {
        if items.count <= insertionCountMax { return insert(items) }
        guard let start = items.baseAddress, let other = scratch.baseAddress else { return }
        sortByDigits(start, other, items.count)
    }

    /// Sorts items.
    static func sort(_ items: inout [Item]) {
        let count = items.count
        withUnsafeTemporaryAllocation(of: Item.self, capacity: count) { scratch in
            scratch.initialize(repeating: Item(prefix: 0, position: 0))
            items.withUnsafeMutableBufferPointer { sort($0, scratch) }
        }
    }

    /// The positions of items in order, and the ranges that have two equal items or more if they
    /// are wanted.
    static func sorted(
        _ items: [Item], findsRuns: Bool
    ) -> (positions: [Int], runs: [Range<Int>]) {
        var sorted = items
        sort(&sorted)
        let runs =
            findsRuns
            ? TextOrder.runs(sorted.count) { sorted[$0].prefix == sorted[$1].prefix } : []
        return (sorted.map(\.position), runs)
    }

    private static func insert(_ items: UnsafeMutableBufferPointer<Item>) {
        for next in items.indices.dropFirst() {
            let item = items[next]
            var position = next
            while position > 0, items[position - 1].prefix > item.prefix {
                items[position] = items[position - 1]
                position -= 1
            }
            items[position] = item
        }
    }

    /// Distributes items by each byte of their prefixes, the last one first, going to and fro
    /// between two places; a byte that all have in common is skipped.
    private static func sortByDigits(
        _ items: UnsafeMutablePointer<Item>, _ scratch: UnsafeMutablePointer<Item>, _ count: Int
    ) {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: digitCount * 256) { counts in
            guard let counts = counts.baseAddress else { return }
            counts.initialize(repeating: 0, count: digitCount * 256)
            for position in 0..<count {
                var rest = items[position].prefix
                for digit in 0..<digitCount {
                    counts[digit &* 256 &+ Int(truncatingIfNeeded: rest & 255)] &+= 1
                    rest >>= 8
                }
            }
            var (source, target) = (items, scratch)
            for digit in 0..<digitCount {
                let ends = counts + digit * 256
                let shift = UInt64(digit) * 8
                if ends[Int(truncatingIfNeeded: items[0].prefix >> shift & 255)] == count {
                    continue
                }
                var sum = 0
                for value in 0..<256 {
                    let starting = sum
                    sum &+= ends[value]
                    ends[value] = starting
                }
                for position in 0..<count {
                    let item = source[position]
                    let value = Int(truncatingIfNeeded: item.prefix >> shift & 255)
                    target[ends[value]] = item
                    ends[value] &+= 1
                }
                swap(&source, &target)
            }
            if source != items { items.update(from: source, count: count) }
        }
    }
}
