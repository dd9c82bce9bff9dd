import CPlatform
import Locks
import Synchronization

/// The pages of one file in memory, and which of them were found whole.
///
/// A page is believed only after its checksum was verified, once; then its bit is set. A page that
/// fails is looked at again by each operation that needs it, and fails each time.
struct PageFile: ~Copyable {
    let number: UInt32
    let pages: UnsafeRawPointer
    let pageCount: UInt32
    let seed: UInt64
    /// Fills a page's memory from its file; nil when the memory is a mapping.
    private let load: (@Sendable (UInt32) -> Bool)?
    /// Called with each page that is found bad.
    private let didFail: (@Sendable (UInt32) -> Void)?
    /// Guards filling pages, so that none changes after it was verified.
    private let loading = Locked<Void>()
    private let verified: UnsafeMutablePointer<Atomic<UInt64>>
    private let wordCount: Int

    init(
        number: UInt32, pages: UnsafeRawPointer, pageCount: UInt32, seed: UInt64,
        load: (@Sendable (UInt32) -> Bool)?, didFail: (@Sendable (UInt32) -> Void)?
    ) {
        self.number = number
        self.pages = pages
        self.pageCount = pageCount
        self.seed = seed
        self.load = load
        self.didFail = didFail
        wordCount = (Int(pageCount) + 63) / 64
        verified = .allocate(capacity: wordCount)
        for index in 0..<wordCount { (verified + index).initialize(to: Atomic(0)) }
    }

    deinit { verified.deallocate() }

    @inline(__always)
    private func isVerified(_ page: UInt32) -> Bool {
        verified[Int(page >> 6)].load(ordering: .acquiring) &>> UInt64(page & 63) & 1 == 1
    }

    /// A page, loaded and verified if it was not yet; nil if it is not whole.
    @inline(__always)
    func node(_ page: UInt32) -> Node? {
        guard page < pageCount else { return nil }
        guard isVerified(page) || verify(page) else { return nil }
        return Node(UnsafeMutableRawPointer(mutating: start(of: page)))
    }

    /// Where a page is; to be read only after `node` has found it whole.
    @inline(__always)
    func start(of page: UInt32) -> UnsafeRawPointer {
        pages + Int(page) &* Node.byteCount
    }

    /// Loads and verifies a page.
    @inline(never)
    func verify(_ page: UInt32) -> Bool {
        let isWhole = loadAndCheck(page)
        if !isWhole { didFail?(page) }
        return isWhole
    }

    /// Reports to the owner that a page is not what a reference to it says.
    func reportDamage(_ page: UInt32) { didFail?(page) }

    private func loadAndCheck(_ page: UInt32) -> Bool {
        guard let load else { return check(page) }
        return loading.withLock { _ in
            if isVerified(page) { return true }
            return load(page) && check(page)
        }
    }

    private func check(_ page: UInt32) -> Bool {
        let start = start(of: page)
        let stored = UInt32(
            littleEndian: start.loadUnaligned(
                fromByteOffset: Node.checksumOffset, as: UInt32.self))
        // What has a right checksum is trusted, but a cheap look makes it certain that no
        // access leaves the page.
        let node = Node(UnsafeMutableRawPointer(mutating: start))
        guard stored == Self.checksum(of: start, page: page, seed: seed), node.isWellFormed,
            node.hasPagesOnly
        else { return false }
        verified[Int(page >> 6)].bitwiseOr(
            1 << UInt64(page & 63), ordering: .acquiringAndReleasing)
        return true
    }

    /// The checksum of a page: CRC32C over the file's seed (u64), the page's number (u64) and the
    /// page up to the checksum.
    static func checksum(of start: UnsafeRawPointer, page: UInt32, seed: UInt64) -> UInt32 {
        let ofSeed = travertine_crc32c_after_word(0, seed, start, 0)
        return travertine_crc32c_after_word(ofSeed, UInt64(page), start, Node.checksumOffset)
    }
}

extension Node {
    /// Whether a node's arrays and records lie inside it.
    var isWellFormed: Bool {
        guard count <= capacity, capacity <= Node.capacityMax, prefixByteCount <= Key.byteCountMax
        else {
            return false
        }
        switch layout {
        case Layout.fixedLeaf:
            let leaf = Leaf(self)
            let end = leaf.bodyOffset + (leaf.tailByteCount + 8) * capacity
            return level == 0 && count > 0 && keyByteCount <= Key.byteCountMax
                && keyByteCount >= prefixByteCount && end <= limit
        case Layout.slottedLeaf:
            let leaf = Leaf(self)
            return level == 0 && count > 0 && leaf.bodyOffset + 10 * capacity <= heapStart
                && hasRecordsInside(leaf.slots)
        case Layout.plainInner:
            return level > 0 && Inner(self).bodyOffset + 8 * (capacity + 1) <= limit
        case Layout.generalInner:
            let inner = Inner(self)
            return level > 0 && inner.bodyOffset + 10 * capacity + 8 <= heapStart
                && hasRecordsInside(inner.slots)
        default:
            return false
        }
    }

    /// Whether all children are pages.
    var hasPagesOnly: Bool {
        if level == 0 { return true }
        let children = Inner(self).children
        return (0...count).allSatisfy { children[$0] >> 63 == 1 }
    }

    private func hasRecordsInside(_ slots: UnsafePointer<UInt16>) -> Bool {
        let limit = limit
        for index in 0..<count {
            let start = Int(slots[index])
            guard start >= heapStart, start + 2 <= limit else { return false }
            let suffix = Int((base + start).loadUnaligned(as: UInt16.self))
            guard prefixByteCount + suffix <= Key.byteCountMax,
                start + Leaf.recordByteCount(suffixByteCount: suffix) <= limit
            else { return false }
        }
        return true
    }
}
