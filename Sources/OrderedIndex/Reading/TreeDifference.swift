/// The keys whose values differ between two trees, one after the other, in key order.
///
/// A node that both trees refer to is skipped without a look into it, so that the cost follows the
/// nodes that are not shared. Valid while both trees may be read.
///
/// Two nodes of one index that are not the same may still say the same: a leaf in memory and the
/// page that it was written to. They have one stamp, and are skipped too (`saysSame`). After that
/// many small nodes are touched, and no key of them is looked at.
package final class TreeDifference {
    private let left: TreeDifferenceSide
    private let right: TreeDifferenceSide
    /// Whether both trees are of one index: then stamps and addresses of nodes mean the same.
    private let isOfOneIndex: Bool
    private var hasKey = (left: false, right: false)
    /// How many keys of one tree were compared with one of the other.
    private(set) var comparedKeyCount = 0

    /// Before the first difference of two trees of one index.
    package convenience init(from old: Tree, to new: Tree, in reader: IndexReader) {
        self.init(from: old, in: reader, to: new, in: reader, isOfOneIndex: true)
    }

    /// Before the first difference of two trees, of one index or of two that read the same files.
    ///
    /// In the second case only pages are shared: addresses and stamps of two indexes mean nothing
    /// together, but a page of a file is written once.
    package init(
        from old: Tree, in oldReader: IndexReader, to new: Tree, in newReader: IndexReader,
        isOfOneIndex: Bool
    ) {
        left = TreeDifferenceSide(reader: oldReader, tree: old)
        right = TreeDifferenceSide(reader: newReader, tree: new)
        self.isOfOneIndex = isOfOneIndex
    }

    /// The current key, until the next call of `next`.
    package var key: UnsafeRawBufferPointer { (hasKey.left ? left : right).key.bytes }

    /// The key's value in the old tree; nil if it is not there.
    package var old: UInt64? { hasKey.left ? left.value : nil }

    /// The key's value in the new tree; nil if it is not there.
    package var new: UInt64? { hasKey.right ? right.value : nil }

    /// Moves to the next key that differs; false at the end.
    ///
    /// - Throws: `IndexFailure` when a page that is needed is damaged; the next call tries it
    ///   again.
    package func next() throws(IndexFailure) -> Bool {
        if hasKey.left { left.advance() }
        if hasKey.right { right.advance() }
        hasKey = (false, false)
        while true {
            switch (left.place, right.place) {
            case (.end, .end):
                return false
            case (.key, .key):
                let sameCount = left.skipSameEntries(as: right)
                comparedKeyCount += max(1, sameCount)
                if sameCount > 0 { continue }
                let order = left.key.compare(with: right.key)
                if order == 0 && left.value == right.value {
                    left.advance()
                    right.advance()
                    continue
                }
                hasKey = (order <= 0, order >= 0)
                return true
            case (.key, .end):
                hasKey.left = true
                return true
            case (.end, .key):
                hasKey.right = true
                return true
            case (.node, .end):
                try left.descend()
            case (.end, .node):
                try right.descend()
            case (.node, .key):
                // Keys before the node are on the other side only.
                hasKey.right = left.isAfter(right.key)
                if hasKey.right { return true }
                try left.descend()
            case (.key, .node):
                hasKey.left = right.isAfter(left.key)
                if hasKey.left { return true }
                try right.descend()
            case (.node, .node):
                try approach()
            }
        }
    }

    /// Both sides are before a node: skip it if it is the same, or go down towards where it may be.
    private func approach() throws(IndexFailure) {
        let bits = left.pendingBits
        if bits == right.pendingBits && (isOfOneIndex || Int64(bitPattern: bits) < 0) {
            left.advance()
            right.advance()
            return
        }
        // The node that starts first can't be shared any more; of two that start at the same key
        // the higher one may have the other below it.
        let order = left.compareLowerBound(with: right)
        if order < 0 || order == 0 && left.pendingLevel > right.pendingLevel {
            try left.descend()
        } else if order > 0 || left.pendingLevel < right.pendingLevel {
            try right.descend()
        } else if isOfOneIndex, try left.pendingNode().saysSame(as: right.pendingNode()) {
            left.advance()
            right.advance()
        } else {
            try left.descend()
            try right.descend()
        }
    }
}

extension Node {
    /// Whether it certainly has the same keys and values below it as another committed node of the
    /// same level, of the same tree in another version of one index.
    ///
    /// Nodes of one stamp were in one version of the tree: that which their transaction committed,
    /// or its innermost savepoint's part of it. There the keys of two leaves are disjoint, as are
    /// the separators of two inner nodes of a level; so nodes of one stamp whose first key, or
    /// first separator, is the same are one node, or a node and its page (V5).
    fileprivate func saysSame(as other: Node) -> Bool {
        guard version == other.version, count == other.count, count > 0 else { return false }
        return withUnsafeTemporaryAllocation(
            byteCount: 2 * Key.bufferByteCount, alignment: 16
        ) { buffer in
            let start = buffer.baseAddress.unsafelyUnwrapped
            let second = start + Key.bufferByteCount
            let first = Key(start: start, count: copyFirstKey(to: start))
            return first.compare(with: Key(start: second, count: other.copyFirstKey(to: second)))
                == 0
        }
    }

    private func copyFirstKey(to target: UnsafeMutableRawPointer) -> Int {
        level == 0 ? Leaf(self).copyKey(0, to: target) : Inner(self).copySeparator(0, to: target)
    }
}
