import Locks
import Synchronization

/// An ordered index in memory: several trees under one versioned root.
///
/// Trees are copy-on-write B+trees; a published root and all that it refers to never changes. One
/// writer at a time builds the next version; readers pin a root and read without locks, and neither
/// waits for the other. There is no I/O here: page files are memory that the owner provides.
///
/// Invariants:
/// 1. A node reachable from a committed root is never changed, and not freed while a pin, the
///    published root, or a root that may still be published can reach it.
/// 2. Versions come from one counter: each write transaction and each savepoint takes the next.
/// 3. The published version only grows.
/// 4. Only the writer allocates and frees nodes.
package final class Index: @unchecked Sendable {
    private let published: Atomic<UnsafePointer<RootHeader>>
    let pinTable = PinTable()
    private let currentTable: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<PageTable>>>
    /// Guards attaching and detaching.
    private let attaching = Locked<Void>()
    let counters = IndexCounters()

    // The writer's, from here on: the caller lets one transaction run at a time.
    private(set) var committed: UnsafePointer<RootHeader>
    /// The versions of committed roots that may still be published.
    private var unpublished: [UInt64] = []
    @exclusivity(unchecked)
    var lastStamp: UInt64 = 0
    @exclusivity(unchecked)
    var memory = NodeMemory()
    @exclusivity(unchecked)
    var reclamation = PendingReclamation()
    /// The version of the newest image; what was born later is in no page file.
    @exclusivity(unchecked)
    private(set) var imageVersion: UInt64 = 0
    @exclusivity(unchecked)
    var changedNodeCount = 0
    let scratch = WriterScratch()
    private(set) var hasWriter = false

    /// An index with one version, 0, without trees.
    package init() {
        let root = UnsafePointer(
            RootHeader.allocate(
                trees: UnsafeBufferPointer(start: nil, count: 0), version: 0, tag: 0))
        committed = root
        published = Atomic(root)
        let table = UnsafeMutablePointer<PageTable>.allocate(capacity: 1)
        table.initialize(to: PageTable(slotCount: 16, previous: nil))
        currentTable = .allocate(capacity: 1)
        currentTable.initialize(to: Atomic(table))
    }

    deinit {
        reclamation.freeRoots()
        RootHeader.free(committed)
        let newest = currentTable.pointee.load(ordering: .relaxed)
        newest.pointee.visitFiles { file in
            file.deinitialize(count: 1)
            file.deallocate()
        }
        var table: UnsafeMutablePointer<PageTable>? = newest
        while let current = table {
            table = current.pointee.previous
            current.deinitialize(count: 1)
            current.deallocate()
        }
        currentTable.deinitialize(count: 1)
        currentTable.deallocate()
    }

    /// Reads trees of this index.
    package var reader: IndexReader { IndexReader(table: UnsafePointer(currentTable)) }

    // MARK: Versions

    /// Sets the opening root. Once, before the first transaction and the first pin.
    package func install(trees: [Tree], version: UInt64, tag: UInt64) {
        precondition(!hasWriter && version >= lastStamp, "an index is filled before it is used")
        lastStamp = version
        imageVersion = version
        let root = trees.withUnsafeBufferPointer {
            UnsafePointer(RootHeader.allocate(trees: $0, version: version, tag: tag))
        }
        RootHeader.free(committed)
        committed = root
        published.store(root, ordering: .sequentiallyConsistent)
        counters.keys.store(trees.reduce(0) { $0 + Int($1.count) }, ordering: .relaxed)
    }

    /// The version that a pin would get now.
    package var publishedVersion: UInt64 {
        published.load(ordering: .sequentiallyConsistent).pointee.version
    }

    /// The tag of the published root. The caller keeps others from publishing in the meantime.
    package var publishedTag: UInt64 {
        published.load(ordering: .sequentiallyConsistent).pointee.tag
    }

    /// Whether a pinned root is the published one. Any thread.
    package func isPublished(_ pin: IndexPin) -> Bool {
        published.load(ordering: .sequentiallyConsistent) == pin.root
    }

    /// Whether a pinned root is the newest committed one, published or not. The caller keeps other
    /// write transactions away.
    package func isNewest(_ pin: IndexPin) -> Bool { committed == pin.root }

    /// Pins the published root. Any thread; never waits.
    package func pin(note: UInt64) -> IndexPin {
        let slot = pinTable.claim()
        let root = published.load(ordering: .sequentiallyConsistent)
        slot.pointee.note.store(note, ordering: .relaxed)
        let version = root.pointee.version
        slot.pointee.version.store(version, ordering: .releasing)
        return IndexPin(root: root, slot: slot, version: version)
    }

    /// Pins the newest committed root, published or not. The caller keeps other write transactions
    /// away: nothing is freed in the meantime.
    package func pinNewest(note: UInt64) -> IndexPin {
        let slot = pinTable.claim()
        slot.pointee.note.store(note, ordering: .relaxed)
        let version = committed.pointee.version
        slot.pointee.version.store(version, ordering: .releasing)
        return IndexPin(root: committed, slot: slot, version: version)
    }

    /// Gives a pin back, once. Any thread; never waits.
    package func unpin(_ pin: IndexPin) { pinTable.release(pin.slot) }

    /// The pins of this moment, for statistics.
    package var pins: [(version: UInt64, note: UInt64)] {
        var pins: [(version: UInt64, note: UInt64)] = []
        pinTable.visitTaken { version, note in
            if version != PinSlot.announced { pins.append((version, note)) }
        }
        return pins
    }

    /// Whether there is a pin, or one is just being taken.
    package var isPinned: Bool {
        var isPinned = false
        pinTable.visitTaken { _, _ in isPinned = true }
        return isPinned
    }

    /// Makes a committed root the one that pins get. Any thread; an older root than the published
    /// one is ignored.
    package func publish(_ root: CommittedRoot) {
        // The caller's lock puts publications in order; the loop only makes it certain.
        var current = published.load(ordering: .sequentiallyConsistent)
        while root.version > current.pointee.version {
            let result = published.compareExchange(
                expected: current, desired: root.root, ordering: .sequentiallyConsistent)
            if result.exchanged { return }
            current = result.original
        }
    }

    /// Starts a write transaction on the newest committed root, published or not.
    ///
    /// Frees what no pin holds any more. One transaction at a time; it ends with `commit` or
    /// `rollback`.
    package func beginWrite() -> IndexWriter {
        precondition(!hasWriter, "one write transaction at a time")
        hasWriter = true
        reclaim()
        return IndexWriter(self, base: committed)
    }

    func endWrite() {
        hasWriter = false
        noteMemory()
    }

    /// Makes the root of a transaction the newest committed one.
    func commit(
        trees: UnsafeBufferPointer<Tree>, version: UInt64, tag: UInt64, retired: [RetiredNode]
    ) -> CommittedRoot {
        assert(version > committed.pointee.version, "V3: version \(version) is not newer")
        let root = UnsafePointer(RootHeader.allocate(trees: trees, version: version, tag: tag))
        reclamation.add(retired, at: version)
        reclamation.add(committed, at: version)
        committed = root
        unpublished.append(version)
        counters.keys.store(trees.reduce(0) { $0 + Int($1.count) }, ordering: .relaxed)
        return CommittedRoot(root: root)
    }

    /// Frees what no pin, published or publishable root holds.
    func reclaim() {
        guard let pins = heldVersions() else { return }
        reclamation.reclaim(pins: pins) { memory.deallocate($0) }
    }

    /// The versions that pins, the published root and publishable roots hold, in order; nil while
    /// that is not certain. Only for the writer; see `PinTable` for why it is safe.
    func heldVersions() -> [UInt64]? {
        // First the published root, then the slots.
        let newest = published.load(ordering: .sequentiallyConsistent).pointee.version
        unpublished.removeAll { $0 <= newest }
        var pins = unpublished
        pins.append(newest)
        var isUncertain = false
        pinTable.visitTaken { version, _ in
            if version == PinSlot.announced { isUncertain = true }
            pins.append(version)
        }
        if isUncertain { return nil }
        pins.sort()
        var distinct = 0
        for pin in pins where distinct == 0 || pins[distinct - 1] != pin {
            pins[distinct] = pin
            distinct += 1
        }
        pins.removeSubrange(distinct...)
        return pins
    }

    /// The newest committed version, published or not. The caller keeps write transactions away.
    package var newestVersion: UInt64 { committed.pointee.version }

    /// Whether a version in a range may be read: what was there in all of these versions, and in no
    /// other, can be removed when it is not. The caller keeps write transactions away.
    package func isHeld(_ versions: Range<UInt64>) -> Bool {
        precondition(!hasWriter, "no pins are looked at during a write transaction")
        return heldVersions()?.contains { versions.contains($0) } ?? true
    }

    /// The oldest version that may be read; nil while that is not certain, because a pin is just
    /// being taken. The caller keeps write transactions away.
    package var oldestHeldVersion: UInt64? {
        precondition(!hasWriter, "no pins are looked at during a write transaction")
        return heldVersions()?.first
    }

    /// Says that the newest version is being written as pages: from here on what changes counts
    /// anew. The caller keeps write transactions away.
    package func beginImage() {
        precondition(!hasWriter, "no image is taken during a write transaction")
        imageVersion = lastStamp
        changedNodeCount = 0
        noteMemory()
    }

    // MARK: Page files

    /// Adds a page file, before anything refers to its pages.
    ///
    /// `pages` stays valid until the file is detached. A page's first use calls `load` (if there is
    /// one) to fill its memory, and verifies its checksum, which is seeded with `seed` and the
    /// page's number. `didFail` is called with each page that turns out to be bad, by the thread
    /// that found it.
    package func attachPageFile(
        number: UInt32, pages: UnsafeRawPointer, pageCount: UInt32, seed: UInt64,
        load: (@Sendable (UInt32) -> Bool)?, didFail: (@Sendable (UInt32) -> Void)? = nil
    ) {
        precondition(number < 1 << 31, "page file numbers have 31 bits")
        attaching.withLock { _ in
            var table = currentTable.pointee.load(ordering: .relaxed)
            precondition(table.pointee.file(UInt64(number)) == nil, "the file is attached already")
            let file = UnsafeMutablePointer<PageFile>.allocate(capacity: 1)
            file.initialize(
                to: PageFile(
                    number: number, pages: pages, pageCount: pageCount, seed: seed, load: load,
                    didFail: didFail))
            while !table.pointee.add(file, number: UInt64(number)) {
                table = growTable(after: table)
            }
        }
    }

    private func growTable(
        after table: UnsafeMutablePointer<PageTable>
    ) -> UnsafeMutablePointer<PageTable> {
        let larger = UnsafeMutablePointer<PageTable>.allocate(capacity: 1)
        larger.initialize(
            to: PageTable(slotCount: (table.pointee.mask + 1) * 2, previous: table))
        table.pointee.visitFiles { file in
            let isAdded = larger.pointee.add(file, number: UInt64(file.pointee.number))
            precondition(isAdded, "a table of twice the size has room")
        }
        currentTable.pointee.store(larger, ordering: .releasing)
        return larger
    }

    /// Removes a page file that no pinned, published or publishable root refers to.
    package func detachPageFile(number: UInt32) {
        attaching.withLock { _ in
            let table = currentTable.pointee.load(ordering: .relaxed)
            guard let file = table.pointee.remove(UInt64(number)) else { return }
            file.deinitialize(count: 1)
            file.deallocate()
        }
    }

    /// Calls `body` for each attached page file; none is attached or detached in the meantime.
    func visitPageFiles(_ body: (UnsafeMutablePointer<PageFile>) -> Void) {
        attaching.withLock { _ in
            currentTable.pointee.load(ordering: .relaxed).pointee.visitFiles(body)
        }
    }

    /// Whether every node of a tree can be read: reads all its pages. The caller keeps the tree.
    package func isReadable(_ tree: Tree) -> Bool {
        func isReadable(_ bits: UInt64, level: Int) -> Bool {
            guard let node = try? reader.node(bits, level: level) else { return false }
            if level == 0 { return true }
            let children = Inner(node).children
            return (0...node.count).allSatisfy { isReadable(children[$0], level: level - 1) }
        }
        return tree.height == 0 || isReadable(tree.root.bits, level: Int(tree.height) - 1)
    }

    /// Verifies every page of a file anew, and returns the bad ones.
    package func verifyAllPages(file number: UInt32) -> [UInt32] {
        let table = currentTable.pointee.load(ordering: .acquiring)
        guard let file = table.pointee.file(UInt64(number)) else { return [] }
        return (0..<file.pointee.pageCount).filter { !file.pointee.verify($0) }
    }
}
