import OrderedIndex

/// Entries of derived keyspaces that a transaction has put and that are not in its trees yet.
///
/// Their records are in the log already; the value of such a key is no location, so that the tree
/// can wait. It takes the entries of a keyspace together, in key order: neighbours share the way
/// down, and the leaves of sixteen keys come from memory at the same time.
///
/// Invariants:
/// 1. Code that looks into a tree of the transaction, or changes it otherwise, has its entries
///    applied before (`ReadAccess.tree(of:)`, `WriteTransaction.applyEntries`).
/// 2. There are none when a savepoint begins, so that rolling back to it forgets all that there
///    are.
/// 3. A failure to apply them, which is a damaged page, stays: the transaction can't commit.
final class StagedEntries {
    private struct Entry {
        var key: UnsafeRawBufferPointer
        var value: UInt64
    }

    /// The entries of one keyspace.
    private struct Run {
        var keyspace: KeyspaceID
        var entries: [Entry] = []
        /// How many of the next ones go to the tree at once.
        var directCount = 0
    }

    /// The first entries of a transaction go to the trees at once: for a few, sorting doesn't pay.
    private static let directCount = 64
    /// As many of a keyspace do after so few were staged when something looked there.
    private static let fewCount = 8
    /// A keyspace with so many has them applied, so that memory stays bounded.
    private static let countMax = 1 << 16
    /// Below so many keys a tree is at hand anyway, and nothing of it is asked for.
    static let askedKeyCountMin = 20_000

    private let writer: IndexWriter
    @exclusivity(unchecked)
    private var arena = ByteArena()
    @exclusivity(unchecked)
    private var runs: [Run] = []
    /// For each keyspace, the number of its run, or -1.
    @exclusivity(unchecked)
    private var runNumbers: [Int32] = []
    /// How many entries are staged, of all keyspaces.
    @exclusivity(unchecked)
    private var count = 0
    /// How many were put in the transaction, up to the first that are staged.
    @exclusivity(unchecked)
    private var seenCount = 0
    /// What went wrong when entries were applied that nobody waited for.
    @exclusivity(unchecked)
    private(set) var failure: StoreError?

    init(_ writer: IndexWriter) { self.writer = writer }

    /// Whether another entry of a keyspace is to be staged, and not put at once.
    func isTaking(_ keyspace: KeyspaceID) -> Bool {
        if seenCount < Self.directCount {
            seenCount &+= 1
            return false
        }
        let number = run(of: keyspace)
        if runs[number].directCount == 0 { return true }
        runs[number].directCount &-= 1
        return false
    }

    /// Whether there are entries of a keyspace.
    @inline(__always)
    func has(_ keyspace: KeyspaceID) -> Bool { count > 0 && hasRun(keyspace) }

    @inline(never)
    private func hasRun(_ keyspace: KeyspaceID) -> Bool {
        keyspace.treeNumber < runNumbers.count && runNumbers[keyspace.treeNumber] >= 0
            && !runs[Int(runNumbers[keyspace.treeNumber])].entries.isEmpty
    }

    /// Stages an entry; the keyspace is one of the transaction's.
    func append(_ key: UnsafeRawBufferPointer, _ value: UInt64, in keyspace: KeyspaceID) {
        let bytes = arena.allocate(max(8, key.count))
        if let source = key.baseAddress { bytes.copyMemory(from: source, byteCount: key.count) }
        let copy = UnsafeRawBufferPointer(start: bytes, count: key.count)
        let number = run(of: keyspace)
        runs[number].entries.append(Entry(key: copy, value: value))
        count &+= 1
        if runs[number].entries.count >= Self.countMax { apply(keyspace) }
    }

    private func run(of keyspace: KeyspaceID) -> Int {
        let place = keyspace.treeNumber
        if place >= runNumbers.count {
            runNumbers += [Int32](repeating: -1, count: place + 1 - runNumbers.count)
        }
        if runNumbers[place] < 0 {
            runNumbers[place] = Int32(runs.count)
            runs.append(Run(keyspace: keyspace))
        }
        return Int(runNumbers[place])
    }

    /// Puts the entries of a keyspace into its tree.
    @inline(never)
    func apply(_ keyspace: KeyspaceID) {
        guard hasRun(keyspace) else { return }
        let number = Int(runNumbers[keyspace.treeNumber])
        var entries: [Entry] = []
        swap(&entries, &runs[number].entries)
        count &-= entries.count
        if entries.count < Self.fewCount { runs[number].directCount = Self.directCount }
        do throws(IndexFailure) {
            try put(entries, in: keyspace.treeNumber)
        } catch {
            if failure == nil { failure = StoreError(error) }
        }
        entries.removeAll(keepingCapacity: true)
        swap(&entries, &runs[number].entries)
        if count == 0 { arena.removeAll() }
    }

    /// Puts all entries into their trees.
    func applyAll() {
        if count == 0 { return }
        for number in runs.indices { apply(runs[number].keyspace) }
    }

    /// Forgets the entries of a keyspace.
    func remove(_ keyspace: KeyspaceID) {
        guard has(keyspace) else { return }
        let number = Int(runNumbers[keyspace.treeNumber])
        count &-= runs[number].entries.count
        runs[number].entries.removeAll()
    }

    /// Forgets all entries.
    func removeAll() {
        for number in runs.indices { runs[number].entries.removeAll() }
        count = 0
        arena.removeAll()
    }

    private func put(_ entries: [Entry], in tree: Int) throws(IndexFailure) {
        let order = KeyOrder.places(entries.count) { (.system, entries[$0].key) }
        let asks = writer.trees[tree].count >= Self.askedKeyCountMin
        var near = IndexWriter.NearLeaf()
        var start = 0
        while start < order.count {
            let end = min(start + IndexReader.batchCountMax, order.count)
            if asks { ask(for: order[start..<end], of: entries, in: tree) }
            for place in order[start..<end] {
                let entry = entries[place]
                try writer.insert(entry.key, value: entry.value, in: tree, near: &near)
            }
            start = end
        }
    }

    private func ask(for places: ArraySlice<Int>, of entries: [Entry], in tree: Int) {
        withUnsafeTemporaryAllocation(
            of: UnsafeRawBufferPointer.self, capacity: places.count
        ) { keys in
            for (number, place) in places.enumerated() {
                keys.initializeElement(at: number, to: entries[place].key)
            }
            writer.prefetchLeaves(of: UnsafeBufferPointer(keys), in: tree)
        }
    }
}
