import CPlatform

/// Several look-ups at once: while one waits for memory, so do the others.
extension IndexReader {
    /// The number of keys that one call takes at most.
    package static var batchCountMax: Int { 16 }

    /// Looks up to `batchCountMax` keys up, level by level. Bit *i* of the result says whether key
    /// *i* is there; then `values[i]` is its value, otherwise it is undefined. Never allocates.
    ///
    /// - Throws: `IndexFailure` when a page on the way of any of them is damaged.
    package func values(
        forKeys keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        into values: UnsafeMutablePointer<UInt64>
    ) throws(IndexFailure) -> UInt32 {
        precondition(keys.count <= IndexReader.batchCountMax, "too many keys for one batch")
        if tree.root.bits == 0 { return 0 }
        return keys.first?.count == IndexReader.numberByteCount
            ? try valuesNearGuesses(forKeys: keys, in: tree, values)
            : try valuesWithoutGuesses(forKeys: keys, in: tree, values)
    }

    /// The length of keys that are numbers, as those of rows: only of such it can be guessed where
    /// in a leaf they are. For keys of other lengths the guesses cost more than they save.
    private static var numberByteCount: Int { 8 }

    @inline(never)
    private func valuesNearGuesses(
        forKeys keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        _ values: UnsafeMutablePointer<UInt64>
    ) throws(IndexFailure) -> UInt32 {
        var guesses = SIMD16<UInt8>(repeating: UInt8(Leaf.noGuess))
        try descend(to: keys, in: tree, leaves: values) { index, guess in
            guesses[index] = UInt8(truncatingIfNeeded: guess)
        }
        return try valuesInLeaves(forKeys: keys, in: tree, values) { Int(guesses[$0]) }
    }

    @inline(never)
    private func valuesWithoutGuesses(
        forKeys keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        _ values: UnsafeMutablePointer<UInt64>
    ) throws(IndexFailure) -> UInt32 {
        try descend(to: keys, in: tree, leaves: values)
        return try valuesInLeaves(forKeys: keys, in: tree, values) { _ in Leaf.noGuess }
    }

    /// The second half of a look-up: `values` are the keys' leaves, whose heads were asked for, all
    /// or those near a guess.
    ///
    /// All heads are searched before the first entry is read, and only the line of that entry is
    /// asked for: the processor fetches some 24 lines at a time, fewer than a leaf has.
    @inline(__always)
    private func valuesInLeaves(
        forKeys keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        _ values: UnsafeMutablePointer<UInt64>, _ guess: (Int) -> Int
    ) throws(IndexFailure) -> UInt32 {
        // From here on a key's value is the address of its candidate, or of its slotted leaf.
        var fixed: UInt32 = 0
        var slotted: UInt32 = 0
        var tailByteCounts = SIMD16<UInt16>()
        for index in 0..<keys.count {
            let leaf = Leaf(try node(values[index], level: 0, asks: false))
            let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: index)
            let header = leaf.header
            guard Leaf.isFixed(header) else {
                values[index] = leaf.node.reference.bits
                IndexReader.prefetchLeaf(leaf.node)
                slotted |= bit
                continue
            }
            guard
                let candidate = leaf.candidate(
                    for: Key(keys[index]), header, near: guess(index))
            else { continue }
            values[index] = UInt64(UInt(bitPattern: candidate.entry))
            tailByteCounts[index] = UInt16(truncatingIfNeeded: candidate.tailByteCount)
            travertine_prefetch_now(candidate.entry)
            travertine_prefetch_now(candidate.entry + (candidate.tailByteCount &+ 7))
            fixed |= bit
        }
        var found: UInt32 = 0
        for index in 0..<keys.count {
            let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: index)
            guard (fixed | slotted) & bit != 0 else { continue }
            let key = Key(keys[index])
            let node = Node(bits: values[index])
            var value: UInt64?
            if fixed & bit != 0 {
                let candidate = Leaf.Candidate(
                    entry: node.base, tailByteCount: Int(tailByteCounts[index]))
                value = candidate.value(forKey: key)
                // Or another key with the same head: rare, and so from the root again.
                if value == nil { value = try self.value(forKey: keys[index], in: tree) }
            } else {
                value = Leaf(node).value(forKey: key)
            }
            guard let value else { continue }
            values[index] = value
            found |= bit
        }
        return found
    }

    /// Asks for the leaves of up to `batchCountMax` keys that are about to be changed or looked up
    /// one by one. Reads the inner nodes above them; gives up at a damaged page, which what follows
    /// finds.
    package func prefetch(
        keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree
    ) {
        withLeaves(of: keys, in: tree) { leaves in
            // The entries of leaves in memory; a page is copied as a whole.
            for index in 0..<keys.count where Int64(bitPattern: leaves[index]) > 0 {
                let leaf = Leaf(Node(bits: leaves[index]))
                let header = leaf.header
                guard Leaf.isFixed(header),
                    let candidate = leaf.candidate(for: Key(keys[index]), header)
                else { continue }
                travertine_prefetch_now(candidate.entry)
            }
        }
    }

    /// Asks for all of the leaves of up to `batchCountMax` keys, in key order, that are about to be
    /// copied. Reads the inner nodes above them; gives up at a damaged page, which what follows
    /// finds.
    func prefetchLeaves(
        of keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree
    ) {
        withLeaves(of: keys, in: tree) { leaves in
            // Neighbours are mostly in different leaves; those of one leaf are together.
            var before: UInt64 = 0
            for index in 0..<keys.count where leaves[index] != before {
                before = leaves[index]
                if Int64(bitPattern: before) > 0 {
                    IndexReader.prefetchLeaf(Leaf(Node(bits: before)).node)
                }
            }
        }
    }

    /// Calls `body` with the leaf of each key, as references; not for an empty tree, nor when a
    /// page on the way is damaged.
    @inline(__always)
    private func withLeaves(
        of keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        _ body: (UnsafeMutablePointer<UInt64>) -> Void
    ) {
        precondition(keys.count <= IndexReader.batchCountMax, "too many keys for one batch")
        if tree.root.bits == 0 { return }
        withUnsafeTemporaryAllocation(
            of: UInt64.self, capacity: IndexReader.batchCountMax
        ) { leaves in
            guard let start = leaves.baseAddress else { return }
            do throws(IndexFailure) {
                try descend(to: keys, in: tree, leaves: start)
            } catch {
                return
            }
            body(start)
        }
    }

    /// Takes all keys down one level before the next, and asks for each node before it is read.
    ///
    /// - Parameter noteGuess: is called with a key's number and a guess where in its leaf it is, if
    ///   there is one; then only the heads there are asked for.
    @inline(__always)
    private func descend(
        to keys: UnsafeBufferPointer<UnsafeRawBufferPointer>, in tree: Tree,
        leaves: UnsafeMutablePointer<UInt64>, _ noteGuess: ((Int, Int) -> Void)? = nil
    ) throws(IndexFailure) {
        // On the way down, a key's leaf is the node that is next.
        for index in 0..<keys.count { leaves[index] = tree.root.bits }
        var level = Int(tree.height) &- 1
        while level > 0 {
            for index in 0..<keys.count {
                let key = Key(keys[index])
                let inner = Inner(try node(leaves[index], level: level))
                let step = inner.step(to: key, key.head(from: 0))
                leaves[index] = step.bits
                if level == 1, let noteGuess,
                    let guess = inner.guessedPosition(of: key, inChild: step.index)
                {
                    noteGuess(index, guess)
                    prefetch(step.bits, .leaf(near: guess))
                } else {
                    prefetch(step.bits, level == 1 ? .leaf(near: nil) : .inner)
                }
            }
            level &-= 1
        }
    }

    /// What the next step reads of a node.
    private enum NextRead {
        /// Of an inner node the line that says which others.
        case inner
        /// Header and heads; with a guess only the heads there and a little before.
        case leaf(near: Int?)
    }

    /// Asks for what the next step reads of a node.
    @inline(__always)
    private func prefetch(_ bits: UInt64, _ next: NextRead) {
        if Int64(bitPattern: bits) > 0 {
            prefetch(UnsafeRawPointer(Node(bits: bits).base), next)
            return
        }
        let table = table.pointee.load(ordering: .acquiring)
        guard let file = table.pointee.file(bits &>> 32 & 0x7fff_ffff) else { return }
        prefetch(file.pointee.start(of: UInt32(truncatingIfNeeded: bits)), next)
    }

    @inline(__always)
    private func prefetch(_ node: UnsafeRawPointer, _ next: NextRead) {
        switch next {
        case .inner: travertine_prefetch_now(node)
        case .leaf(near: nil): travertine_prefetch_8_lines(node)
        case .leaf(near: let guess?):
            let head = node + (Node.headsOffset &+ Node.headByteCount &* guess)
            travertine_prefetch_now(node)
            travertine_prefetch_now(head)
            travertine_prefetch_now(head - 64)
        }
    }
}
