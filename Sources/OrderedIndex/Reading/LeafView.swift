/// Where the parts of a leaf's entries are: what a cursor's step needs, so that it reads neither
/// header nor layout.
@usableFromInline
struct LeafView: BitwiseCopyable {
    @usableFromInline var node: UnsafeRawPointer
    @usableFromInline var heads: UnsafePointer<Int32>
    /// The first tail of a fixed leaf.
    @usableFromInline var tails: UnsafeRawPointer
    /// The first value.
    @usableFromInline var values: UnsafeRawPointer
    /// The distance between values, and between tails.
    @usableFromInline var stride = 8
    /// The length of tails, or -1 in a slotted leaf.
    @usableFromInline var tailByteCount = 0
    @usableFromInline var prefixByteCount = 0
    @usableFromInline var keyByteCount = 0

    /// A view of no leaf.
    init() {
        node = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
        heads = node.assumingMemoryBound(to: Int32.self)
        tails = node
        values = node
    }

    @inline(__always)
    init(_ leaf: Leaf) {
        node = UnsafeRawPointer(leaf.node.base)
        heads = UnsafePointer(leaf.node.heads)
        tails = UnsafeRawPointer(leaf.body)
        prefixByteCount = leaf.node.prefixByteCount
        if leaf.isFixed {
            tailByteCount = leaf.tailByteCount
            keyByteCount = leaf.node.keyByteCount
            stride = tailByteCount &+ 8
            values = tails + tailByteCount
        } else {
            tailByteCount = -1
            values = tails
        }
    }

    @inlinable @inline(__always)
    func value(_ index: Int) -> UInt64 {
        (values + index &* stride).loadUnaligned(as: UInt64.self)
    }

    /// Puts a key together in a buffer that has the leaf's prefix already, and room for whole words
    /// after the longest key.
    @inlinable @inline(__always)
    func loadKey(_ index: Int, into buffer: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
        let length = tailByteCount
        if length < 0 { return LeafView.loadSlottedKey(node, index, into: buffer) }
        let target = buffer + prefixByteCount
        let head = UInt32(bitPattern: heads[index]) ^ 0x8000_0000
        target.storeBytes(of: head.bigEndian, as: UInt32.self)
        let tail = tails + index &* stride
        // Whole words: after each tail is its value.
        var offset = 0
        while offset < length {
            (target + (offset &+ 4)).storeBytes(
                of: (tail + offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
            offset &+= 8
        }
        return UnsafeRawBufferPointer(start: buffer, count: keyByteCount)
    }

    @usableFromInline @inline(never)
    static func loadSlottedKey(
        _ node: UnsafeRawPointer, _ index: Int, into buffer: UnsafeMutableRawPointer
    ) -> UnsafeRawBufferPointer {
        let leaf = Leaf(Node(UnsafeMutableRawPointer(mutating: node)))
        let prefixByteCount = leaf.node.prefixByteCount
        let length = leaf.copySuffix(index, to: buffer + prefixByteCount)
        return UnsafeRawBufferPointer(start: buffer, count: prefixByteCount &+ length)
    }

    /// The first eight bytes of a key as a big-endian number; 0 if it has fewer.
    @inlinable @inline(__always)
    static func number(of key: UnsafeRawBufferPointer) -> UInt64 {
        key.count < 8 ? 0 : UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    }
}
