/// A node: 2048 bytes, in memory or in a page file, with the same format in both.
///
/// ```
///    0  version    u64     stamp of the transaction or savepoint that made it
///    8  count      u8      leaf: keys; inner: separators (one fewer than children)
///    9  capacity   u8      the count that the arrays have room for
///   10  keyByteCount u16   fixed leaf: length of every key
///       heapStart  u16     slotted leaf, general inner: where the heap starts
///   12  prefixByteCount u16
///   14  kind       u8      bits 0...5 level (0 leaf), bits 6...7 layout (`Node.Layout`)
///   15  recent     u8      leaf: where the last insertion went; only a hint, 0 in pages
///   16  leaf: the prefix that all its keys start with, if it has at most 48 bytes
///       inner: hints, 12 x i32: every 8th (capacity > 104: 16th) head from that number on
///   64  heads      i32 x capacity, rounded up to a multiple of 8 (inner > 104: 16)
///       … by layout: records, or values and slots, or children and slots …
/// 2044-p prefix    p bytes, of inner nodes, and of leaves if it is longer than 48
/// 2044  checksum   u32     pages only
/// ```
/// A *head* is the four bytes after the prefix, zeros after the key's end, big-endian, with the
/// sign bit flipped: signed order is byte order. Unused heads and hints are `Int32.max`, so that
/// a search may count them in.
///
/// Unsafe: the pointer must be to a whole node, and a node that others can see must not be changed.
@usableFromInline
struct Node: BitwiseCopyable {
    @usableFromInline let base: UnsafeMutableRawPointer

    /// The size of a node.
    static let byteCount = 2048
    /// Where the fields of the header are; the version is the first.
    enum Offset {
        static var version: Int { 0 }
        static var count: Int { version &+ 8 }
        static var capacity: Int { count &+ 1 }
        /// The length of the keys of a fixed leaf.
        static var keyByteCount: Int { capacity &+ 1 }
        /// Where the heap of other nodes begins.
        static var heapStart: Int { keyByteCount }
        static var prefixByteCount: Int { keyByteCount &+ 2 }
        static var kind: Int { prefixByteCount &+ 2 }
        static var recent: Int { kind &+ 1 }
        /// A leaf's prefix, if it is near.
        static var nearPrefix: Int { recent &+ 1 }
        /// The hints of an inner node.
        static var hints: Int { nearPrefix }
        static var heads: Int { hints &+ headByteCount &* hintCount }
        static var checksum: Int { byteCount &- 4 }
    }

    static var hintsOffset: Int { Offset.hints }
    static let hintCount = 12
    /// The bytes of a head, and of a hint.
    static let headByteCount = 4
    /// The longest prefix that a leaf has in its first cache line.
    static var nearPrefixByteCountMax: Int { Offset.heads &- Offset.nearPrefix }
    @usableFromInline static var headsOffset: Int { Offset.heads }
    static var checksumOffset: Int { Offset.checksum }
    /// The bits of a kind that are the level; the others are the layout.
    static let levelBitCount: UInt8 = 6
    /// The most keys, or separators, of a node.
    static let capacityMax = 208
    /// The largest capacity with hints for every 8th head.
    static let fineCapacityMax = 104
    /// What a free node has for a version, so that it is not freed twice.
    static let freeVersion = UInt64.max

    /// What follows the heads.
    enum Layout {
        static let fixedLeaf: UInt8 = 0
        static let slottedLeaf: UInt8 = 1
        static let plainInner: UInt8 = 2
        static let generalInner: UInt8 = 3
    }

    @usableFromInline @inline(__always)
    init(_ base: UnsafeMutableRawPointer) { self.base = base }

    @inline(__always)
    init(bits: UInt64) {
        base = UnsafeMutableRawPointer(bitPattern: UInt(bits)).unsafelyUnwrapped
    }

    /// The node's address as a reference; meaningful only for nodes in memory.
    @inline(__always)
    var reference: NodeReference { NodeReference(bits: UInt64(UInt(bitPattern: base))) }

    @inline(__always)
    var version: UInt64 {
        get { base.loadUnaligned(fromByteOffset: Offset.version, as: UInt64.self) }
        nonmutating set {
            base.storeBytes(of: newValue, toByteOffset: Offset.version, as: UInt64.self)
        }
    }

    @inline(__always)
    var count: Int {
        get { Int(base.load(fromByteOffset: Offset.count, as: UInt8.self)) }
        nonmutating set {
            base.storeBytes(of: UInt8(newValue), toByteOffset: Offset.count, as: UInt8.self)
        }
    }

    @inline(__always)
    var capacity: Int { Int(base.load(fromByteOffset: Offset.capacity, as: UInt8.self)) }

    @inline(__always)
    var keyByteCount: Int {
        Int(base.loadUnaligned(fromByteOffset: Offset.keyByteCount, as: UInt16.self))
    }

    @inline(__always)
    var heapStart: Int {
        get { Int(base.loadUnaligned(fromByteOffset: Offset.heapStart, as: UInt16.self)) }
        nonmutating set {
            base.storeBytes(of: UInt16(newValue), toByteOffset: Offset.heapStart, as: UInt16.self)
        }
    }

    @inline(__always)
    var prefixByteCount: Int {
        Int(base.loadUnaligned(fromByteOffset: Offset.prefixByteCount, as: UInt16.self))
    }

    @inline(__always)
    var level: Int {
        Int(
            base.load(fromByteOffset: Offset.kind, as: UInt8.self) & (1 &<< Node.levelBitCount &- 1)
        )
    }

    @inline(__always)
    var layout: UInt8 {
        base.load(fromByteOffset: Offset.kind, as: UInt8.self) &>> Node.levelBitCount
    }

    @inline(__always)
    var recent: Int {
        get { Int(base.load(fromByteOffset: Offset.recent, as: UInt8.self)) }
        nonmutating set {
            base.storeBytes(of: UInt8(newValue), toByteOffset: Offset.recent, as: UInt8.self)
        }
    }

    /// Bytes 8 to 15 as one number: count, capacity, key length or heap, prefix length and kind at
    /// once.
    @inline(__always)
    var header: UInt64 {
        UInt64(littleEndian: base.load(fromByteOffset: Offset.count, as: UInt64.self))
    }

    /// Where the fields are in `header`.
    enum HeaderShift {
        static var count: UInt64 { 0 }
        static var capacity: UInt64 { bits(before: Offset.capacity) }
        static var keyByteCount: UInt64 { bits(before: Offset.keyByteCount) }
        static var prefixByteCount: UInt64 { bits(before: Offset.prefixByteCount) }
        static var layout: UInt64 { bits(before: Offset.kind) &+ UInt64(levelBitCount) }

        @inline(__always)
        private static func bits(before offset: Int) -> UInt64 {
            UInt64(truncatingIfNeeded: 8 &* (offset &- Offset.count))
        }
    }

    /// Writes the header of a new node, all heads and hints unused.
    func initialize(version: UInt64, plan: NodePlan, level: Int) {
        assert(plan.capacity <= Node.capacityMax && level < 1 << Node.levelBitCount)
        assert((level == 0) == (plan.layout <= Layout.slottedLeaf), "N2: a layout of another level")
        self.version = version
        base.storeBytes(of: 0, toByteOffset: Offset.count, as: UInt8.self)
        base.storeBytes(of: UInt8(plan.capacity), toByteOffset: Offset.capacity, as: UInt8.self)
        let word = plan.layout == Layout.fixedLeaf ? plan.keyByteCount : plan.limit
        base.storeBytes(of: UInt16(word), toByteOffset: Offset.keyByteCount, as: UInt16.self)
        base.storeBytes(
            of: UInt16(plan.prefixByteCount), toByteOffset: Offset.prefixByteCount,
            as: UInt16.self)
        base.storeBytes(
            of: UInt8(level) | plan.layout << Node.levelBitCount, toByteOffset: Offset.kind,
            as: UInt8.self)
        base.storeBytes(of: 0, toByteOffset: Offset.recent, as: UInt8.self)
        if level == 0 {
            (base + Node.headsOffset).initializeMemory(
                as: Int32.self, repeating: .max, count: (plan.capacity + 7) & ~7)
        } else {
            (base + Node.hintsOffset).initializeMemory(
                as: Int32.self, repeating: .max,
                count: Node.hintCount + Node.headCapacity(for: plan.capacity))
        }
    }

    /// The number of heads that an inner node with a capacity has room for.
    @inline(__always)
    static func headCapacity(for capacity: Int) -> Int {
        capacity <= fineCapacityMax ? (capacity &+ 7) & ~7 : (capacity &+ 15) & ~15
    }

    @inline(__always)
    var heads: UnsafeMutablePointer<Int32> {
        (base + Node.headsOffset).assumingMemoryBound(to: Int32.self)
    }

    /// Where a node's prefix is.
    @inline(__always)
    static func prefixOffset(_ byteCount: Int, isLeaf: Bool) -> Int {
        isLeaf && byteCount <= nearPrefixByteCountMax
            ? Offset.nearPrefix : checksumOffset &- byteCount
    }

    /// Where the room for everything but a far prefix ends.
    @inline(__always)
    static func limit(prefixByteCount: Int, isLeaf: Bool) -> Int {
        isLeaf && prefixByteCount <= nearPrefixByteCountMax
            ? checksumOffset : checksumOffset &- prefixByteCount
    }

    @inline(__always)
    var prefix: UnsafeMutableRawPointer {
        base + Node.prefixOffset(prefixByteCount, isLeaf: layout <= Layout.slottedLeaf)
    }

    @inline(__always)
    var limit: Int {
        Node.limit(prefixByteCount: prefixByteCount, isLeaf: layout <= Layout.slottedLeaf)
    }

    /// Copies all bytes that say something.
    @inline(__always)
    func copyContents(to target: Node) {
        if layout == Layout.fixedLeaf && prefixByteCount <= Node.nearPrefixByteCountMax {
            let leaf = Leaf(self)
            target.base.copyMemory(
                from: base,
                byteCount: leaf.bodyOffset &+ leaf.count &* (leaf.tailByteCount &+ 8))
        } else {
            target.base.copyMemory(from: base, byteCount: Node.byteCount)
        }
    }
}
