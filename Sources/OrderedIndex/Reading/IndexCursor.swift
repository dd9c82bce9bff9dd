#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A place in a tree that moves from key to key.
///
/// One block of memory holds the path and the current key; moving allocates nothing. Used by one
/// thread at a time; valid as long as its tree may be read, and in a write transaction until the
/// next change of that tree.
public struct IndexCursor: ~Copyable {
    private let reader: IndexReader
    private let tree: Tree
    /// The path from the root to the leaf's parent: node and child index of each level; then the
    /// buffer that keys are put together in. Nil for an empty tree.
    private let block: UnsafeMutableRawPointer?
    private var leaf: Leaf
    @usableFromInline var index = 0
    /// The keys of the current leaf; 0 on no key.
    @usableFromInline var count = 0
    @usableFromInline let buffer: UnsafeMutableRawPointer
    /// What a step needs of the current leaf, so that it reads neither header nor layout.
    @usableFromInline var view = LeafView()

    /// Where the parts of a leaf's entries are.
    @usableFromInline
    struct LeafView {
        @usableFromInline var heads: UnsafePointer<Int32>
        /// The first value, and the distance between values.
        @usableFromInline var values: UnsafeRawPointer
        @usableFromInline var valueStride = 8
        /// The first tail of a fixed leaf; they have the values' distance.
        @usableFromInline var tails: UnsafeRawPointer
        /// The length of tails, or -1 in a slotted leaf.
        @usableFromInline var tailByteCount = 0
        @usableFromInline var prefixByteCount = 0
        @usableFromInline var keyByteCount = 0

        init() {
            let nowhere = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
            heads = nowhere.assumingMemoryBound(to: Int32.self)
            values = nowhere
            tails = nowhere
        }

        @inline(__always)
        mutating func show(_ leaf: Leaf) {
            heads = UnsafePointer(leaf.node.heads)
            prefixByteCount = leaf.node.prefixByteCount
            tails = UnsafeRawPointer(leaf.body)
            if leaf.isFixed {
                tailByteCount = leaf.tailByteCount
                keyByteCount = leaf.node.keyByteCount
                valueStride = tailByteCount &+ 8
                values = tails + tailByteCount
            } else {
                tailByteCount = -1
                valueStride = 8
                values = tails
            }
        }
    }

    /// A node on the path, and which of its children the path goes through.
    private struct Step {
        var node: Node
        var index: Int
    }

    /// A key, and what copying in whole words may overwrite behind it.
    private static let bufferByteCount = 512 + 16

    init(reader: IndexReader, tree: Tree) {
        self.reader = reader
        self.tree = tree
        let pathByteCount = Int(tree.height) * MemoryLayout<Step>.stride
        let nowhere = UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
        leaf = Leaf(Node(nowhere))
        if tree.height == 0 {
            block = nil
            buffer = nowhere
        } else {
            let block = UnsafeMutableRawPointer.allocate(
                byteCount: pathByteCount + Self.bufferByteCount, alignment: 16)
            self.block = block
            buffer = block + pathByteCount
        }
    }

    deinit { block?.deallocate() }

    private var path: UnsafeMutablePointer<Step> {
        block.unsafelyUnwrapped.assumingMemoryBound(to: Step.self)
    }

    /// The number of inner levels.
    private var depth: Int { Int(tree.height) - 1 }

    /// Whether the cursor is on a key.
    @inlinable
    package var isValid: Bool { index < count }

    /// The value of the current key.
    @inlinable
    package var value: UInt64 {
        precondition(isValid, "the cursor is on no key")
        return (view.values + index &* view.valueStride).loadUnaligned(as: UInt64.self)
    }

    /// The length of the current key.
    package var keyByteCount: Int {
        precondition(isValid, "the cursor is on no key")
        return leaf.keyByteCount(index)
    }

    /// Copies the current key and returns its length; `target` has room for it.
    package func copyKey(to target: UnsafeMutableRawPointer) -> Int {
        let key = loadKey()
        if let start = key.baseAddress { memcpy(target, start, key.count) }
        return key.count
    }

    /// Calls `body` with the current key's bytes, which are valid during the call.
    @inlinable
    package func withKey<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(loadKey())
    }

    /// Puts the current key together in the buffer; its prefix is there since the leaf was entered.
    @inlinable @inline(__always)
    func loadKey() -> UnsafeRawBufferPointer {
        precondition(isValid, "the cursor is on no key")
        let length = view.tailByteCount
        if length < 0 { return loadSlottedKey() }
        let target = buffer + view.prefixByteCount
        let head = UInt32(bitPattern: view.heads[index]) ^ 0x8000_0000
        target.storeBytes(of: head.bigEndian, as: UInt32.self)
        let tail = view.tails + index &* view.valueStride
        // Whole words: behind each tail is its value, behind the buffer's key is spare room.
        var offset = 0
        while offset < length {
            (target + (offset &+ 4)).storeBytes(
                of: (tail + offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
            offset &+= 8
        }
        return UnsafeRawBufferPointer(start: buffer, count: view.keyByteCount)
    }

    @usableFromInline
    func loadSlottedKey() -> UnsafeRawBufferPointer {
        let length = leaf.copySuffix(index, to: buffer + view.prefixByteCount)
        return UnsafeRawBufferPointer(start: buffer, count: view.prefixByteCount &+ length)
    }

    private mutating func enter(_ node: Node, at index: Int) {
        leaf = Leaf(node)
        count = leaf.count
        self.index = index
        view.show(leaf)
        memcpy(buffer, node.prefix, node.prefixByteCount)
    }

    private mutating func leave() {
        index = 0
        count = 0
    }

    /// Moves to the first key; false if there is none.
    ///
    /// - Throws: `IndexFailure`, as all moves; the cursor is then on no key.
    package mutating func seekToFirst() throws(IndexFailure) -> Bool {
        leave()
        if block == nil { return false }
        let node = try descend(from: tree.root.bits, depth: 0, toLast: false)
        enter(node, at: 0)
        return isValid
    }

    /// Moves to the last key; false if there is none.
    package mutating func seekToLast() throws(IndexFailure) -> Bool {
        leave()
        if block == nil { return false }
        let node = try descend(from: tree.root.bits, depth: 0, toLast: true)
        enter(node, at: Leaf(node).count &- 1)
        return isValid
    }

    /// Goes down to the first or last leaf below a reference.
    private func descend(
        from bits: UInt64, depth start: Int, toLast: Bool
    ) throws(IndexFailure) -> Node {
        var bits = bits
        let leafDepth = self.depth
        for depth in start..<leafDepth {
            let inner = Inner(try reader.node(bits, level: leafDepth &- depth))
            let index = toLast ? inner.count : 0
            path[depth] = Step(node: inner.node, index: index)
            bits = inner.children[index]
        }
        return try reader.node(bits, level: 0)
    }

    /// Moves to the first key at or after `key`; false if there is none.
    package mutating func seek(atOrAfter key: UnsafeRawBufferPointer) throws(IndexFailure) -> Bool {
        leave()
        if block == nil { return false }
        let key = Key(key)
        let node = try descend(to: key)
        enter(node, at: Leaf(node).find(key).index)
        if index < count { return true }
        return try moveToNextLeaf()
    }

    /// Moves to the last key at or before `key`; false if there is none.
    package mutating func seek(atOrBefore key: UnsafeRawBufferPointer) throws(IndexFailure) -> Bool
    {
        leave()
        if block == nil { return false }
        let key = Key(key)
        let node = try descend(to: key)
        let place = Leaf(node).find(key)
        if place.isFound {
            enter(node, at: place.index)
            return true
        }
        enter(node, at: max(0, place.index &- 1))
        if place.index > 0 { return true }
        return try moveToPreviousLeaf()
    }

    private func descend(to key: Key) throws(IndexFailure) -> Node {
        var bits = tree.root.bits
        let leafDepth = self.depth
        for depth in 0..<leafDepth {
            let inner = Inner(try reader.node(bits, level: leafDepth &- depth))
            let index = inner.childIndex(for: key)
            path[depth] = Step(node: inner.node, index: index)
            bits = inner.children[index]
        }
        return try reader.node(bits, level: 0)
    }

    /// Moves to the next key; false at the end, and then on no key.
    @inlinable
    package mutating func next() throws(IndexFailure) -> Bool {
        let following = index &+ 1
        if following < count {
            index = following
            return true
        }
        return try moveToNextLeaf()
    }

    /// Moves to the previous key; false at the start, and then on no key.
    @inlinable
    package mutating func previous() throws(IndexFailure) -> Bool {
        if index > 0 && index < count {
            index &-= 1
            return true
        }
        return try moveToPreviousLeaf()
    }

    @usableFromInline
    mutating func moveToNextLeaf() throws(IndexFailure) -> Bool {
        // On no key: it stays there.
        if count == 0 { return false }
        leave()
        var level = depth
        while level > 0 {
            level &-= 1
            let step = path[level]
            if step.index < step.node.count {
                path[level].index &+= 1
                let bits = Inner(step.node).children[step.index &+ 1]
                let node = try descend(from: bits, depth: level &+ 1, toLast: false)
                enter(node, at: 0)
                return true
            }
        }
        return false
    }

    @usableFromInline
    mutating func moveToPreviousLeaf() throws(IndexFailure) -> Bool {
        if count == 0 { return false }
        leave()
        var level = depth
        while level > 0 {
            level &-= 1
            let step = path[level]
            if step.index > 0 {
                path[level].index &-= 1
                let bits = Inner(step.node).children[step.index &- 1]
                let node = try descend(from: bits, depth: level &+ 1, toLast: true)
                enter(node, at: Leaf(node).count &- 1)
                return true
            }
        }
        return false
    }
}
