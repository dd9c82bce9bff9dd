import CPlatform

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
///
/// Public only so that steps are inlined into other modules; see `IndexFailure`.
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
    /// The keys of the current leaf whose values were shown to `ask`, from the first on.
    @usableFromInline var asked = 0
    /// What a step needs of the current leaf, so that it reads neither header nor layout.
    @usableFromInline var view = LeafView()

    /// A node on the path, and which of its children the path goes through.
    private struct Step {
        var node: Node
        var index: Int
    }

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
                byteCount: pathByteCount + Key.bufferByteCount, alignment: 16)
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
        return view.value(index)
    }

    /// How many values are shown at a time to a caller that asks for what they point to.
    @inlinable
    static var askedCount: Int { 8 }

    /// Whether values are left in the leaf that `ask` should show, at least 8 keys before their
    /// turn.
    @inlinable
    package var mayAsk: Bool {
        asked < count && index &+ IndexCursor.askedCount >= asked
    }

    /// Calls `body` with the next values of the leaf, at most 8, that it was not called with: their
    /// address, distance and number. Near the end of the leaf asks for the next one.
    @inlinable
    package mutating func ask(_ body: (UnsafeRawPointer, _ stride: Int, _ count: Int) -> Void) {
        let start = max(asked, index)
        let end = min(start &+ IndexCursor.askedCount, count)
        asked = end
        body(view.values + start &* view.stride, view.stride, end &- start)
        if end == count { prefetchNextLeaf() }
    }

    /// Moves to the next key if it is in the same leaf; otherwise stays.
    @inlinable
    package mutating func stepInLeaf() -> Bool {
        let following = index &+ 1
        guard following < count else { return false }
        index = following
        return true
    }

    /// The length of the current key.
    package var keyByteCount: Int {
        precondition(isValid, "the cursor is on no key")
        return leaf.keyByteCount(index)
    }

    /// Copies the current key and returns its length; `target` has room for it.
    package func copyKey(to target: UnsafeMutableRawPointer) -> Int {
        precondition(isValid, "the cursor is on no key")
        let key = view.loadKey(index, into: buffer)
        if let start = key.baseAddress { memcpy(target, start, key.count) }
        return key.count
    }

    /// Calls `body` with the current key's bytes, which are valid during the call.
    @inlinable
    package func withKey<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(isValid, "the cursor is on no key")
        return try body(view.loadKey(index, into: buffer))
    }

    private mutating func enter(_ node: Node, at index: Int) {
        leaf = Leaf(node)
        count = leaf.count
        self.index = index
        view = LeafView(leaf)
        asked = 0
        if view.prefixByteCount <= Node.nearPrefixByteCountMax {
            // The room of all near prefixes: three moves, where a length would be a loop.
            buffer.copyMemory(
                from: node.base + Node.Offset.nearPrefix, byteCount: Node.nearPrefixByteCountMax)
        } else {
            memcpy(buffer, node.prefix, view.prefixByteCount)
        }
    }

    private mutating func leave() {
        index = 0
        count = 0
        asked = 0
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

    @inline(__always)
    private func descend(to key: Key) throws(IndexFailure) -> Node {
        var bits = tree.root.bits
        var level = depth
        let head = key.head(from: 0)
        var place = block.unsafelyUnwrapped.assumingMemoryBound(to: Step.self)
        while level > 0 {
            let inner = Inner(try reader.node(bits, level: level))
            let step = inner.step(to: key, head)
            place.initialize(to: Step(node: inner.node, index: step.index))
            bits = step.bits
            place += 1
            level &-= 1
        }
        // As a look-up does; a scan needs most of it anyway.
        if Int64(bitPattern: bits) > 0 { IndexReader.prefetchLeaf(Node(bits: bits)) }
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
        guard try moveToNextLeaf() else { return false }
        prefetchNextLeaf()
        return true
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

    /// Moves to the first key after the current leaf; false at the end, and then on no key.
    @usableFromInline
    package mutating func moveToNextLeaf() throws(IndexFailure) -> Bool {
        try moveToLeaf(isNext: true)
    }

    @usableFromInline
    mutating func moveToPreviousLeaf() throws(IndexFailure) -> Bool {
        try moveToLeaf(isNext: false)
    }

    /// Moves to the nearest key of the leaf on one side; false if there is none, and then on no
    /// key.
    @inline(__always)
    private mutating func moveToLeaf(isNext: Bool) throws(IndexFailure) -> Bool {
        // On no key: it stays there.
        if count == 0 { return false }
        leave()
        // A local: the thread sanitizer takes the first field of `self` for what is changed.
        let path = path
        var level = depth
        while level > 0 {
            level &-= 1
            let step = path[level]
            if isNext ? step.index < step.node.count : step.index > 0 {
                let index = isNext ? step.index &+ 1 : step.index &- 1
                path[level].index = index
                let bits = Inner(step.node).children[index]
                let node = try descend(from: bits, depth: level &+ 1, toLast: !isNext)
                enter(node, at: isNext ? 0 : Leaf(node).count &- 1)
                return true
            }
        }
        return false
    }

    /// Asks for the next leaf of the same parent, while the scan is busy with this one.
    @usableFromInline @inline(never)
    func prefetchNextLeaf() {
        guard depth > 0 else { return }
        let step = path[depth &- 1]
        guard step.index < step.node.count else { return }
        let bits = Inner(step.node).children[step.index &+ 1]
        if Int64(bitPattern: bits) > 0 { IndexReader.prefetchLeaf(Node(bits: bits)) }
    }
}
