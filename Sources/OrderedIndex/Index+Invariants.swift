// Compiled into every build, and not under a define: `fsck` judges the trees of checkpoints by it,
// so that a page that was written wrong, under a right checksum, is found on a user's disk too. No
// other path of the library calls it.

/// Checks of what must hold of trees and versions (N1 to N6, V1 to V3, G1, G4); for tests, and the
/// first of them for `fsck`.
extension Index {
    /// Checks everything that the format promises of a tree (N1 to N6), and returns what is wrong.
    ///
    /// For tests and for verification: reads every node and compares every key.
    /// - Throws: `IndexFailure` when a page is damaged.
    package func checkInvariants(_ tree: Tree) throws -> [String] {
        let checker = InvariantChecker(reader: reader)
        if tree.height == 0 {
            if tree.root.bits != 0 { checker.note("N3: an empty tree has a root") }
            if tree.count != 0 { checker.note("N3: an empty tree counts \(tree.count) keys") }
            return checker.problems
        }
        try checker.check(
            tree.root.bits, level: Int(tree.height) - 1, from: nil, to: nil, isBelowPage: false)
        if checker.keyCount != tree.count {
            checker.note("the tree counts \(tree.count) keys and has \(checker.keyCount)")
        }
        return checker.problems
    }
}

/// Walks a tree and collects what is wrong with it.
private final class InvariantChecker {
    private let reader: IndexReader
    private(set) var problems: [String] = []
    private(set) var keyCount: UInt64 = 0
    private let buffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)
    /// Room for the key before the one in `buffer`.
    private let otherBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)

    init(reader: IndexReader) { self.reader = reader }

    deinit {
        buffer.deallocate()
        otherBuffer.deallocate()
    }

    func note(_ problem: String) {
        if problems.count < 100 { problems.append(problem) }
    }

    func check(
        _ bits: UInt64, level: Int, from low: [UInt8]?, to high: [UInt8]?, isBelowPage: Bool
    ) throws {
        let isPage = bits >> 63 == 1
        if isBelowPage && !isPage {
            note("N6: a page refers to memory")
            return
        }
        if bits == 0 {
            note("N2: a node has an empty child")
            return
        }
        let node = try reader.node(bits, level: level)
        if node.level != level { note("N2: a node of level \(node.level) is on level \(level)") }
        checkHeads(node)
        if level == 0 { return checkLeaf(node, from: low, to: high) }
        let keys = separators(node)
        for (index, key) in keys.enumerated() {
            if index > 0 && !keys[index - 1].lexicographicallyPrecedes(key) {
                note("N1: keys \(index - 1) and \(index) of a node are out of order")
            }
            if let low, key.lexicographicallyPrecedes(low) { note("N1: a key is below its node") }
            if let high, !key.lexicographicallyPrecedes(high) {
                note("N1: a key is above its node")
            }
            key.withUnsafeBytes { checkHead(node, index, Key($0)) }
        }
        for index in 0...node.count {
            try check(
                Inner(node).children[index], level: level - 1,
                from: index == 0 ? low : keys[index - 1],
                to: index == node.count ? high : keys[index], isBelowPage: isPage)
        }
    }

    /// Of keys that ascend the first shows whether one is below the node, the last whether one is
    /// above. Almost all of a tree is leaves: nothing is allocated for their keys.
    private func checkLeaf(_ node: Node, from low: [UInt8]?, to high: [UInt8]?) {
        if node.layout > Node.Layout.slottedLeaf {
            note("N2: a leaf has the layout of an inner node")
        }
        if node.count == 0 { note("N3: a leaf is empty") }
        keyCount += UInt64(node.count)
        let leaf = Leaf(node)
        var (current, other) = (buffer, otherBuffer)
        var previous: Key?
        for index in 0..<node.count {
            let length = leaf.copyKey(index, to: current)
            if length != leaf.keyByteCount(index) { note("N5: a key's lengths differ") }
            let key = Key(start: current, count: length)
            if let previous, previous.compare(with: key) >= 0 {
                note("N1: keys \(index - 1) and \(index) of a node are out of order")
            }
            if index == 0, let low, low.withUnsafeBytes({ key.compare(with: Key($0)) < 0 }) {
                note("N1: a key is below its node")
            }
            if index == node.count - 1, let high,
                high.withUnsafeBytes({ key.compare(with: Key($0)) >= 0 })
            {
                note("N1: a key is above its node")
            }
            checkHead(node, index, key)
            previous = key
            swap(&current, &other)
        }
    }

    private func separators(_ node: Node) -> [[UInt8]] {
        if node.layout < Node.Layout.plainInner {
            note("N2: an inner node has the layout of a leaf")
        }
        return (0..<node.count).map { index in
            let length = Inner(node).copySeparator(index, to: buffer)
            return [UInt8](UnsafeRawBufferPointer(start: buffer, count: length))
        }
    }

    private func checkHead(_ node: Node, _ index: Int, _ key: Key) {
        if node.heads[index] != key.head(from: node.prefixByteCount) {
            note("N4: head \(index) is not that of its key")
        }
        if node.layout == Node.Layout.plainInner,
            !NodePlan.isPlain(key, after: node.prefixByteCount)
        {
            note("separator \(index) of a plain node is not plain")
        }
    }

    private func checkHeads(_ node: Node) {
        let capacity = node.capacity
        if node.count > capacity { note("N5: \(node.count) keys in a node for \(capacity)") }
        let isLeaf = node.level == 0
        let headCapacity = isLeaf ? (capacity + 7) & ~7 : Node.headCapacity(for: capacity)
        for index in node.count..<max(node.count, headCapacity) where node.heads[index] != .max {
            note("N4: unused head \(index) is set")
        }
        let step = capacity <= Node.fineCapacityMax ? 8 : 16
        for hint in 0..<(isLeaf ? 0 : Node.hintCount) {
            let head = (hint + 1) * step
            let expected = head < node.count ? node.heads[head] : Int32.max
            let found = node.base.loadUnaligned(
                fromByteOffset: Node.hintsOffset + 4 * hint, as: Int32.self)
            if found != expected { note("N4: hint \(hint) is not head \(head)") }
        }
        if !node.isWellFormed { note("N5: a node's arrays or records overlap") }
    }
}

#if DEBUG
    extension Index {
        /// Checks what the index says of itself, beside its trees: versions (V1 to V3), what waits
        /// to be freed (G1, G4), and that each node of its memory is used, free or not yet used.
        ///
        /// Returns what is wrong. For tests, outside of a write transaction.
        package func checkBookkeeping() -> [String] {
            var problems: [String] = []
            func check(_ holds: Bool, _ rule: String) {
                if !holds { problems.append(rule) }
            }
            check(
                publishedVersion <= committed.pointee.version,
                "V3: version \(publishedVersion) is published and not committed")
            check(
                committed.pointee.version <= lastStamp,
                "V1: version \(committed.pointee.version) is above the last stamp, \(lastStamp)")
            check(imageVersion <= lastStamp, "V1: the image is above the last stamp")
            problems += reclamation.problems(lastStamp: lastStamp)
            problems += memory.problems
            check(
                reclamation.nodeCount <= memory.usedCount,
                "G1: \(reclamation.nodeCount) nodes wait of \(memory.usedCount) that are used")
            return problems
        }
    }
#endif
