#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sorts things that lie anywhere by keyspace and key: what mostly decides is held together, and
/// moves in the sort.
struct KeyOrder: BitwiseCopyable {
    /// The first eight bytes of the key, padded with zeros.
    private let head: UInt64
    private let keyspace: KeyspaceID
    private let place: UInt32

    /// The numbers below `count` in the order of the keyspaces and keys that `key` returns.
    static func places(
        _ count: Int, _ key: (Int) -> (keyspace: KeyspaceID, key: UnsafeRawBufferPointer)
    ) -> [Int] {
        var order = (0..<count).map { place in
            let (keyspace, key) = key(place)
            return KeyOrder(head: head(of: key), keyspace: keyspace, place: UInt32(place))
        }
        sortByHeads(&order)
        // What has the same head lies together: the keys decide.
        var start = 0
        while start < count {
            var end = start + 1
            while end < count, order[end].hasHead(of: order[start]) { end += 1 }
            if end - start > 1 {
                order[start..<end].sort { isLess(key(Int($0.place)).key, key(Int($1.place)).key) }
            }
            start = end
        }
        return order.map { Int($0.place) }
    }

    private func hasHead(of other: KeyOrder) -> Bool {
        head == other.head && keyspace == other.keyspace
    }

    /// Sorts by keyspace and head, a byte at a time from the last, and only by bytes that differ.
    private static func sortByHeads(_ order: inout [KeyOrder]) {
        guard let first = order.first else { return }
        var differences: (head: UInt64, keyspace: UInt32) = (0, 0)
        var isSorted = true
        var before = first
        for item in order {
            differences.head |= item.head ^ first.head
            differences.keyspace |= item.keyspace.rawValue ^ first.keyspace.rawValue
            isSorted =
                isSorted
                && (before.keyspace, before.head) <= (item.keyspace, item.head)
            before = item
        }
        if isSorted { return }
        if order.count < 64 {
            order.sort { ($0.keyspace, $0.head) < ($1.keyspace, $1.head) }
            return
        }
        var other = order
        for shift in stride(from: UInt64(0), to: 64, by: 8)
        where differences.head >> shift & 0xff != 0 {
            pass(&order, &other) { Int(truncatingIfNeeded: $0.head >> shift) & 0xff }
        }
        for shift in stride(from: UInt32(0), to: 32, by: 8)
        where differences.keyspace >> shift & 0xff != 0 {
            pass(&order, &other) { Int($0.keyspace.rawValue >> shift) & 0xff }
        }
    }

    /// Sorts by one byte; what has the same stays in its order.
    @inline(__always)
    private static func pass(
        _ order: inout [KeyOrder], _ other: inout [KeyOrder], _ byte: (KeyOrder) -> Int
    ) {
        var places = [Int](repeating: 0, count: 257)
        for item in order { places[byte(item) + 1] += 1 }
        for value in 1...256 { places[value] += places[value - 1] }
        for item in order {
            let value = byte(item)
            other[places[value]] = item
            places[value] += 1
        }
        swap(&order, &other)
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
