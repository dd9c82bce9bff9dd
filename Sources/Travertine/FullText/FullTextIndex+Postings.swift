import TravertineStore

/// Reading an index with positions: the entries that objects share (Format.md 5.7).
extension FullTextIndex {
    /// How often the objects have a token, in blocks of 16.
    func sharedPostings(
        of unit: FullTextPattern.Unit, _ access: ReadAccess
    ) throws -> Postings {
        var postings = Postings()
        // A block may be divided among several entries of one token.
        var (first, counts): (UInt64, UInt64) = (0, 0)
        let isSound = try forEachEntry(of: unit, access) { key, range, start, count in
            let end = PostingEntry.forEach(in: key, at: start, of: range, count) { object, count in
                if object & ~15 != first {
                    postings.append(first, counts)
                    first = object & ~15
                    counts = 0
                }
                counts |= min(count, FullTextEntries.countMax) << (4 * (object & 15))
            }
            if unit.isPrefix {
                postings.append(first, counts)
                counts = 0
            }
            return end != nil
        }
        postings.append(first, counts)
        guard isSound else { throw PostingFormat.damage }
        if unit.isPrefix { postings.normalise() }
        return postings
    }

    /// The objects of a set that have a token, which is no beginning: only the entries that the
    /// blocks fall into are read.
    func sharedObjects(
        in blocks: ObjectBlocks, with unit: FullTextPattern.Unit, _ access: ReadAccess
    ) throws -> ObjectBlocks {
        var found = ObjectBlocks()
        var place = 0
        var (block, bits): (UInt64, UInt64) = (.max, 0)
        func append() {
            if bits == 0 { return }
            place = SortedKeys.position(in: blocks.firsts, notBefore: block, from: place)
            if place < blocks.firsts.count, blocks.firsts[place] == block {
                found.append(block, bits & blocks.bits[place])
            }
        }
        try forEachEntry(of: unit, touching: blocks, access) { key, range, start, count in
            let end = PostingEntry.forEach(in: key, at: start, of: range, count) { object, _ in
                if object & ~15 != block {
                    append()
                    block = object & ~15
                    bits = 0
                }
                bits |= 1 << (4 * (object & 15))
            }
            return end != nil
        }
        append()
        return found
    }

    /// Where a token is in the texts of some objects.
    ///
    /// - Parameter isSparse: whether the entries of the objects are looked up one by one.
    func positions(
        of unit: FullTextPattern.Unit, in objects: ObjectBlocks, isSparse: Bool,
        _ access: ReadAccess
    ) throws -> TokenPositions {
        var positions = TokenPositions(objects.keys, isSorted: !unit.isPrefix)
        let read: EntryBody = { key, range, start, count in
            positions.read(key, at: start, of: range, count)
        }
        if isSparse, !unit.isPrefix {
            try forEachEntry(of: unit, touching: objects, access, read)
        } else if try !forEachEntry(of: unit, access, read) {
            throw PostingFormat.damage
        }
        try addApart(of: unit, to: &positions, access)
        positions.finish()
        return positions
    }

    /// Adds the positions of objects that have so many of them that these are in separate entries.
    private func addApart(
        of unit: FullTextPattern.Unit, to positions: inout TokenPositions, _ access: ReadAccess
    ) throws {
        var cursor = access.cursor(in: keyspace)
        var start = IndexKey()
        for (token, place) in positions.apart {
            try token.withUnsafeBytes { token in
                PostingFormat.set(&start, token: token, positionsOf: positions.objects[place])
                var isThere = try cursor.seek(to: start.bytes)
                while isThere, cursor.withKey({ $0.starts(with: start.bytes) }) {
                    let count = cursor.indexValue
                    let isSound = cursor.withKey {
                        positions.readApart($0, at: start.bytes.count, count, place)
                    }
                    guard isSound else { throw PostingFormat.damage }
                    isThere = try cursor.next()
                }
            }
        }
    }

    // MARK: Entries

    /// Reads the postings of an entry: its key, its range, where the postings begin in the key, and
    /// their number. Gives false if there are no such postings.
    typealias EntryBody = (UnsafeRawBufferPointer, PostingRange, _ start: Int, UInt64) -> Bool

    /// Calls `body` with each entry of postings of a token, or of all tokens that begin so; gives
    /// whether all of them are sound.
    private func forEachEntry(
        of unit: FullTextPattern.Unit, _ access: ReadAccess, _ body: EntryBody
    ) throws -> Bool {
        let range = Self.range(of: unit)
        var cursor = access.cursor(in: keyspace)
        guard try cursor.seek(to: range.lower), let upper = range.upper else { return true }
        let tokenByteCount = unit.bytes.count
        var isSound = true
        try upper.withBytes { (upper) throws(StoreError) in
            try cursor.forEachNumber(before: upper) { key, count in
                var end = tokenByteCount
                if unit.isPrefix {
                    // After a beginning comes the rest of the word.
                    end = PostingFormat.tokenEnd(in: key) ?? key.count
                    // Positions apart are read after the postings that they belong to.
                    if end < key.count, key[end] == PostingFormat.positionsMark { return }
                }
                guard let (range, start) = PostingFormat.range(in: key, at: end + 1),
                    body(key, range, start, count)
                else {
                    isSound = false
                    return
                }
            }
        }
        return isSound
    }

    /// Calls `body` with each entry of a token that an object of a set may be in.
    private func forEachEntry(
        of unit: FullTextPattern.Unit, touching blocks: ObjectBlocks, _ access: ReadAccess,
        _ body: EntryBody
    ) throws {
        try unit.bytes.withUnsafeBytes { token in
            var cursor = access.cursor(in: keyspace)
            var key = IndexKey()
            var place = 0
            var next = blocks.firsts.first ?? .max
            while place < blocks.firsts.count {
                PostingFormat.set(&key, token: token, from: next)
                guard try cursor.seek(to: key.bytes, isForward: place > 0) else { return }
                var last: UInt64?
                var isSound = true
                let count = cursor.indexValue
                cursor.withKey { key in
                    guard key.count > token.count, key.starts(with: token),
                        key[token.count] == PostingFormat.sharedMark
                    else { return }
                    guard let (range, start) = PostingFormat.range(in: key, at: token.count + 1)
                    else {
                        isSound = false
                        return
                    }
                    last = range.last
                    isSound = body(key, range, start, count)
                }
                guard isSound else { throw PostingFormat.damage }
                guard let last, last < .max else { return }
                // A block may be divided among several entries.
                place = SortedKeys.position(
                    in: blocks.firsts, notBefore: (last + 1) & ~15, from: place)
                if place < blocks.firsts.count { next = max(last + 1, blocks.firsts[place]) }
            }
        }
    }
}
