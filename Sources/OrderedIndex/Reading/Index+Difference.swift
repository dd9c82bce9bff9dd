#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Index {
    /// Calls `body` for each key whose values differ between two trees, in key order, until it
    /// returns false.
    ///
    /// A subtree that both trees share is skipped without a look into it, so that the cost follows
    /// the nodes that are not shared. The key's bytes are valid during the call.
    /// - Throws: what `body` throws, and `IndexFailure` when a page that is needed is damaged.
    package func difference(
        from old: Tree, to new: Tree,
        _ body: (_ key: UnsafeRawBufferPointer, _ old: UInt64?, _ new: UInt64?) throws -> Bool
    ) throws {
        let left = DifferenceSide(reader: reader, tree: old)
        let right = DifferenceSide(reader: reader, tree: new)
        while true {
            switch (left.place, right.place) {
            case (.end, .end):
                return
            case (.key, .key):
                guard try Self.reportKeys(left, right, body) else { return }
            case (.key, .end):
                guard try left.report(isOld: true, body) else { return }
            case (.end, .key):
                guard try right.report(isOld: false, body) else { return }
            case (.node, .end):
                try left.descend()
            case (.end, .node):
                try right.descend()
            case (.node, .key):
                // Keys before the node are on the other side only.
                if left.lowerBound.isAfter(right.key) {
                    guard try right.report(isOld: false, body) else { return }
                } else {
                    try left.descend()
                }
            case (.key, .node):
                if right.lowerBound.isAfter(left.key) {
                    guard try left.report(isOld: true, body) else { return }
                } else {
                    try right.descend()
                }
            case (.node, .node):
                try Self.approach(left, right)
            }
        }
    }

    private static func reportKeys(
        _ left: DifferenceSide, _ right: DifferenceSide,
        _ body: (UnsafeRawBufferPointer, UInt64?, UInt64?) throws -> Bool
    ) throws -> Bool {
        let order = left.key.compare(with: right.key)
        if order < 0 { return try left.report(isOld: true, body) }
        if order > 0 { return try right.report(isOld: false, body) }
        if left.value != right.value {
            guard try body(left.key.bytes, left.value, right.value) else { return false }
        }
        left.advance()
        right.advance()
        return true
    }

    /// Both sides are before a node: skip it if it is the same, or go down towards where it may be.
    private static func approach(_ left: DifferenceSide, _ right: DifferenceSide) throws {
        if left.pendingBits == right.pendingBits {
            left.advance()
            right.advance()
            return
        }
        // The node that starts first can't be shared any more; of two that start at the same key
        // the higher one may have the other below it.
        let order = left.lowerBound.compare(with: right.lowerBound)
        if order < 0 || order == 0 && left.pendingLevel > right.pendingLevel {
            try left.descend()
        } else if order > 0 || left.pendingLevel < right.pendingLevel {
            try right.descend()
        } else {
            try left.descend()
            try right.descend()
        }
    }
}

/// One tree of a difference: a place before a node, on a key, or at the end.
private final class DifferenceSide {
    enum Place {
        /// Before a node that was not looked into.
        case node
        /// On a key of a leaf.
        case key
        case end
    }

    /// A lower bound of keys: at or after a separator, or none.
    struct Bound {
        var separator: Key?

        func isAfter(_ key: Key) -> Bool {
            separator.map { $0.compare(with: key) > 0 } ?? false
        }

        func compare(with other: Bound) -> Int {
            switch (separator, other.separator) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let own?, let other?): return own.compare(with: other)
            }
        }
    }

    private let reader: IndexReader
    private var nodes: [Node] = []
    private var indexes: [Int] = []
    private let height: Int
    private let keyBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)
    private let boundBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)
    private(set) var key = Key(start: UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped, count: 0)
    private(set) var place: Place
    private(set) var pendingBits: UInt64
    private(set) var lowerBound = Bound(separator: nil)

    init(reader: IndexReader, tree: Tree) {
        self.reader = reader
        height = Int(tree.height)
        pendingBits = tree.root.bits
        place = tree.height == 0 ? .end : .node
    }

    deinit {
        keyBuffer.deallocate()
        boundBuffer.deallocate()
    }

    /// The level of the node that the place is before.
    var pendingLevel: Int { height - 1 - nodes.count }

    var value: UInt64 { Leaf(nodes[nodes.count - 1]).value(indexes[indexes.count - 1]) }

    /// From before a node to its first child or key.
    func descend() throws(IndexFailure) {
        let node = try reader.node(pendingBits, level: pendingLevel)
        nodes.append(node)
        indexes.append(0)
        arrive()
    }

    /// After the current key, or the node that the place is before.
    func advance() {
        if place == .key { indexes[indexes.count - 1] += 1 } else { step() }
        arrive()
    }

    /// The innermost node's next child.
    private func step() {
        if indexes.isEmpty {
            place = .end
        } else {
            indexes[indexes.count - 1] += 1
        }
    }

    /// Sets the place from the path, leaving nodes that are done with.
    private func arrive() {
        while let node = nodes.last {
            let index = indexes[indexes.count - 1]
            let isLeaf = node.level == 0
            if index < (isLeaf ? node.count : node.count + 1) {
                if isLeaf {
                    place = .key
                    key = Key(
                        start: keyBuffer, count: Leaf(node).copyKey(index, to: keyBuffer))
                } else {
                    place = .node
                    pendingBits = Inner(node).children[index]
                    setLowerBound()
                }
                return
            }
            nodes.removeLast()
            indexes.removeLast()
            step()
        }
        place = .end
    }

    private func setLowerBound() {
        for depth in (0..<nodes.count).reversed() where indexes[depth] > 0 {
            let length = Inner(nodes[depth]).copySeparator(indexes[depth] - 1, to: boundBuffer)
            lowerBound = Bound(separator: Key(start: boundBuffer, count: length))
            return
        }
        lowerBound = Bound(separator: nil)
    }

    /// Reports the current key as being on this side only, and moves on.
    func report(
        isOld: Bool, _ body: (UnsafeRawBufferPointer, UInt64?, UInt64?) throws -> Bool
    ) throws -> Bool {
        guard try body(key.bytes, isOld ? value : nil, isOld ? nil : value) else { return false }
        advance()
        return true
    }
}
