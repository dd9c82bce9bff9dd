#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The entries of one or two nodes, taken apart so that they can be laid out anew.
///
/// For leaves an entry is a key and its value; for inner nodes a separator and the child after
/// it, with the first child apart. Owned by the index and used by its one writer.
final class EntryList {
    /// Two full nodes and one entry more.
    private static let countMax = 2 * Node.capacityMax + 2

    private let starts = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: countMax)
    private let counts = UnsafeMutablePointer<Int>.allocate(capacity: countMax)
    private let payloads = UnsafeMutablePointer<UInt64>.allocate(capacity: countMax)
    // Eight bytes more for each key, which copying may overwrite.
    private let arena = UnsafeMutableRawPointer.allocate(
        byteCount: countMax * (Key.byteCountMax + 8), alignment: 16)
    private var arenaByteCount = 0
    private(set) var count = 0
    var firstChild: UInt64 = 0

    deinit {
        starts.deallocate()
        counts.deallocate()
        payloads.deallocate()
        arena.deallocate()
    }

    func removeAll() {
        count = 0
        arenaByteCount = 0
    }

    func key(_ index: Int) -> Key { Key(start: starts[index], count: counts[index]) }

    func payload(_ index: Int) -> UInt64 { payloads[index] }

    /// Appends the keys and values of a leaf, from one of them on.
    func append(_ leaf: Leaf, from first: Int = 0) {
        for index in first..<leaf.count {
            let target = arena + arenaByteCount
            let length = leaf.copyKey(index, to: target)
            push(target, length, leaf.value(index))
        }
    }

    /// Appends the separators and children of an inner node. If there are entries, `separator` is
    /// the one between them and the node.
    func append(_ inner: Inner, after separator: Key?) {
        let children = inner.children
        if let separator {
            let target = arena + arenaByteCount
            memcpy(target, separator.start, separator.count)
            push(target, separator.count, children[0])
        } else {
            firstChild = children[0]
        }
        for index in 0..<inner.count {
            let target = arena + arenaByteCount
            let length = inner.copySeparator(index, to: target)
            push(target, length, children[index + 1])
        }
    }

    private func push(_ start: UnsafeMutableRawPointer, _ length: Int, _ payload: UInt64) {
        assert(count < Self.countMax && length <= Key.byteCountMax)
        starts[count] = UnsafeRawPointer(start)
        counts[count] = length
        payloads[count] = payload
        count += 1
        arenaByteCount += (length + 11) & ~7
    }

    /// Inserts an entry; the key's bytes must stay until the list is used up.
    func insert(_ key: Key, payload: UInt64, at index: Int) {
        assert(count < Self.countMax && index >= 0 && index <= count)
        let moved = count - index
        memmove(starts + index + 1, starts + index, moved * MemoryLayout<UnsafeRawPointer>.stride)
        memmove(counts + index + 1, counts + index, moved * MemoryLayout<Int>.stride)
        memmove(payloads + index + 1, payloads + index, moved * 8)
        starts[index] = key.start
        counts[index] = key.count
        payloads[index] = payload
        count += 1
    }

    /// Whether an entry, neither the first nor the last, is far nearer to the one before it than to
    /// the one after it: the end of a group of keys. Keys that were inserted one after the other
    /// and end at such a place grow there; if not, they may as well be random ones in order.
    func isLastOfGroup(_ index: Int) -> Bool {
        let (before, key, after) = (key(index - 1), key(index), key(index + 1))
        let shared = before.commonPrefixByteCount(with: after)
        let place = Int64(key.head(from: shared))
        return 16 * (place - Int64(before.head(from: shared)))
            < Int64(after.head(from: shared)) - place
    }

    /// The prefix that all keys of a (sorted) range share.
    private func commonPrefixByteCount(_ range: Range<Int>) -> Int {
        if range.isEmpty { return 0 }
        return key(range.lowerBound).commonPrefixByteCount(with: key(range.upperBound - 1))
    }

    /// The layout of a leaf for a range of entries, or nil if they don't fit into one.
    func leafPlan(_ range: Range<Int>) -> NodePlan? {
        let first = counts[range.lowerBound]
        let shared = commonPrefixByteCount(range)
        if range.allSatisfy({ counts[$0] == first }) {
            let prefix = min(shared, max(0, first - 4))
            let capacity = NodePlan.fixedCapacity(keyByteCount: first, prefixByteCount: prefix)
            guard range.count <= capacity else { return nil }
            return NodePlan(
                layout: Node.Layout.fixedLeaf, prefixByteCount: prefix, keyByteCount: first,
                capacity: capacity)
        }
        let heap = heapByteCount(range, after: shared)
        return NodePlan.heapCapacity(
            count: range.count, heapByteCount: heap, prefixByteCount: shared, isLeaf: true
        ).map {
            NodePlan(
                layout: Node.Layout.slottedLeaf, prefixByteCount: shared, keyByteCount: 0,
                capacity: $0)
        }
    }

    private func heapByteCount(_ range: Range<Int>, after prefixByteCount: Int) -> Int {
        range.reduce(0) { $0 + Leaf.recordByteCount(suffixByteCount: counts[$1] - prefixByteCount) }
    }

    /// The layout of an inner node for a range of separators, or nil if they don't fit into one.
    func innerPlan(_ range: Range<Int>) -> NodePlan? {
        let longest = range.reduce(0) { max($0, counts[$1]) }
        let prefix = min(commonPrefixByteCount(range), max(0, longest - 4))
        if range.allSatisfy({ NodePlan.isPlain(key($0), after: prefix) }) {
            let capacity = NodePlan.plainCapacity(prefixByteCount: prefix)
            guard range.count <= capacity else { return nil }
            return NodePlan(
                layout: Node.Layout.plainInner, prefixByteCount: prefix, keyByteCount: 0,
                capacity: capacity)
        }
        return NodePlan.heapCapacity(
            count: range.count, heapByteCount: heapByteCount(range, after: prefix),
            prefixByteCount: prefix, isLeaf: false
        ).map {
            NodePlan(
                layout: Node.Layout.generalInner, prefixByteCount: prefix, keyByteCount: 0,
                capacity: $0)
        }
    }

    /// Lays a range of entries out as a leaf.
    func writeLeaf(_ range: Range<Int>, plan: NodePlan, to node: Node, version: UInt64) {
        node.initialize(version: version, plan: plan, level: 0)
        if let first = range.first, plan.prefixByteCount > 0 {
            memcpy(node.prefix, starts[first], plan.prefixByteCount)
        }
        let leaf = Leaf(node)
        for (index, entry) in range.enumerated() {
            let suffix = writeSuffix(entry, plan, at: index, of: node)
            if plan.layout == Node.Layout.fixedLeaf {
                let length = leaf.tailByteCount
                memcpy(leaf.tail(index), suffix.start + 4, length)
            } else {
                leaf.slots[index] = UInt16(node.pushRecord(suffix))
            }
            leaf.setValue(payloads[entry], at: index)
        }
        node.count = range.count
    }

    private func writeSuffix(_ entry: Int, _ plan: NodePlan, at index: Int, of node: Node) -> Key {
        let key = key(entry)
        node.heads[index] = key.head(from: plan.prefixByteCount)
        return Key(start: key.start + plan.prefixByteCount, count: key.count - plan.prefixByteCount)
    }

    /// Lays a range of separators out as an inner node. `first` is the child before them.
    func writeInner(
        _ range: Range<Int>, first: UInt64, plan: NodePlan, to node: Node, version: UInt64,
        level: Int
    ) {
        node.initialize(version: version, plan: plan, level: level)
        if let first = range.first, plan.prefixByteCount > 0 {
            memcpy(node.prefix, starts[first], plan.prefixByteCount)
        }
        let inner = Inner(node)
        let children = inner.children
        children[0] = first
        for (index, entry) in range.enumerated() {
            let suffix = writeSuffix(entry, plan, at: index, of: node)
            children[index + 1] = payloads[entry]
            if plan.layout == Node.Layout.generalInner {
                inner.slots[index] = UInt16(node.pushRecord(suffix))
            }
        }
        node.count = range.count
        node.refreshHints(from: 0)
    }
}
