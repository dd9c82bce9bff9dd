#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An element of a sort by keyspace and key, where the keys are scattered in memory.
///
/// The elements that are moved have the keyspace and the first eight bytes of the key, which decide
/// most comparisons. So the sort reads few of the keys themselves.
struct KeyOrder: BitwiseCopyable {
    /// The first eight bytes of the key, padded with zeros.
    private let head: UInt64
    private let keyspace: KeyspaceID
    /// The position before sorting.
    private let place: UInt32

    /// The numbers below `count` in the order of the keyspaces and keys that `key` returns.
    static func places(
        _ count: Int, _ key: (Int) -> (keyspace: KeyspaceID, key: UnsafeRawBufferPointer)
    ) -> [Int] {
        withUnsafeTemporaryAllocation(of: KeyOrder.self, capacity: 2 * count) { memory in
            guard let start = memory.baseAddress, count > 0 else { return [] }
            for place in 0..<count {
                let (keyspace, key) = key(place)
                (start + place).initialize(
                    to: KeyOrder(head: head(of: key), keyspace: keyspace, place: UInt32(place)))
            }
            let order = sortByHeads(start, other: start + count, count)
            // What has the same head lies together: the keys decide.
            var place = 0
            while place < count {
                var end = place &+ 1
                while end < count, order[end].hasHead(of: order[place]) { end &+= 1 }
                if end &- place > 1 {
                    var same = UnsafeMutableBufferPointer(start: order + place, count: end - place)
                    same.sort { isLess(key(Int($0.place)).key, key(Int($1.place)).key) }
                }
                place = end
            }
            return [Int](unsafeUninitializedCapacity: count) { places, placeCount in
                for place in 0..<count {
                    places.initializeElement(at: place, to: Int(order[place].place))
                }
                placeCount = count
            }
        }
    }

    private func hasHead(of other: KeyOrder) -> Bool {
        head == other.head && keyspace == other.keyspace
    }

    /// Sorts by keyspace and head, a byte at a time from the last, and only by bytes that differ.
    /// Returns where the sorted ones are: in place, or in `other`, which has room for as many.
    private static func sortByHeads(
        _ order: UnsafeMutablePointer<KeyOrder>, other: UnsafeMutablePointer<KeyOrder>,
        _ count: Int
    ) -> UnsafeMutablePointer<KeyOrder> {
        let first = order[0]
        var differences: (head: UInt64, keyspace: UInt32) = (0, 0)
        var isSorted = true
        var before = first
        for place in 1..<max(1, count) {
            let item = order[place]
            differences.head |= item.head ^ first.head
            differences.keyspace |= item.keyspace.rawValue ^ first.keyspace.rawValue
            if isSorted {
                isSorted = (before.keyspace, before.head) <= (item.keyspace, item.head)
            }
            before = item
        }
        if isSorted { return order }
        if count < 64 {
            var few = UnsafeMutableBufferPointer(start: order, count: count)
            few.sort { ($0.keyspace, $0.head) < ($1.keyspace, $1.head) }
            return order
        }
        var (order, other) = (order, other)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 256) { places in
            for shift in stride(from: UInt64(0), to: 64, by: 8)
            where differences.head >> shift & 0xff != 0 {
                pass(order, to: other, count, places) {
                    Int(truncatingIfNeeded: $0.head &>> shift) & 0xff
                }
                swap(&order, &other)
            }
            for shift in stride(from: UInt32(0), to: 32, by: 8)
            where differences.keyspace >> shift & 0xff != 0 {
                pass(order, to: other, count, places) {
                    Int(truncatingIfNeeded: $0.keyspace.rawValue &>> shift) & 0xff
                }
                swap(&order, &other)
            }
        }
        return order
    }

    /// Sorts by one byte; what has the same stays in its order.
    ///
    /// - Parameter places: room for a number for each value of the byte.
    @inline(__always)
    private static func pass(
        _ order: UnsafeMutablePointer<KeyOrder>, to other: UnsafeMutablePointer<KeyOrder>,
        _ count: Int, _ places: UnsafeMutableBufferPointer<UInt32>, _ byte: (KeyOrder) -> Int
    ) {
        // 256 numbers: the byte of each key is one of them.
        guard let places = places.baseAddress else { return }
        places.initialize(repeating: 0, count: 256)
        for place in 0..<count { places[byte(order[place])] &+= 1 }
        var sum: UInt32 = 0
        for value in 0..<256 {
            let own = places[value]
            places[value] = sum
            sum &+= own
        }
        for place in 0..<count {
            let item = order[place]
            let value = byte(item)
            (other + Int(places[value])).initialize(to: item)
            places[value] &+= 1
        }
    }

    private static func head(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        return key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(64 - 8 * key.count)
    }

    private static func isLess(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Bool { compare(first, second) < 0 }

    /// Which key is first: less than 0 the one, more the other, 0 if they are equal.
    static func compare(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int {
        let count = min(first.count, second.count)
        if count > 0, let one = first.baseAddress, let other = second.baseAddress {
            let order = memcmp(one, other, count)
            if order != 0 { return Int(order) }
        }
        return first.count - second.count
    }
}
