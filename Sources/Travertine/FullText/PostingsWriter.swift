import TravertineStore

/// Stores changed postings in the entries of a full-text index (O31).
///
/// For each change the range is found whose entry it falls into: that of the entry around the
/// object, else the largest one around it without another entry. The postings of the range are
/// changed, the range is joined with the other half of the one around it as long as both fit, and
/// what does not fit is divided. Entries of other ranges stay as they are.
struct PostingsWriter {
    private let transaction: WriteTransaction
    private var keyspace = KeyspaceID.system
    private var key = IndexKey()
    private var entry = PostingEntry()
    /// The postings of the range as they are stored, and as they will be.
    private var old = PostingList()
    private var new = PostingList()
    private var joined = PostingList()
    /// The keys of the entries that `new` takes the place of.
    private var replaced: [[UInt8]] = []

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Stores all changes of a batch.
    ///
    /// - Throws: what the transaction throws, and `.damaged` for an entry that is none.
    mutating func store(_ batch: PostingsBatch) throws {
        try batch.forEachToken { keyspace, token, changes in
            self.keyspace = keyspace
            var position = 0
            while position < changes.count {
                let range = try find(token, changes[position].object)
                var end = position + 1
                while end < changes.count, range.contains(changes[end].object) { end += 1 }
                let replacesSome = try change(token, changes[position..<end], batch)
                try write(token, replacesSome ? try join(token, range) : range)
                position = end
            }
        }
    }

    // MARK: Reading

    /// The range that changes of an object fall into; reads its postings, if it has an entry.
    private mutating func find(
        _ token: UnsafeRawBufferPointer, _ object: UInt64
    ) throws -> PostingRange {
        old.removeAll()
        replaced.removeAll(keepingCapacity: true)
        var cursor = transaction.access.cursor(in: keyspace)
        PostingFormat.set(&key, token: token, from: object)
        var level = PostingRange.levelMax
        if try seek(&cursor, isAfter: true), let (range, start) = try range(at: cursor, token) {
            if range.contains(object) {
                try take(cursor, range, at: start, isOld: true)
                return range
            }
            level = Self.level(of: object, without: range.last)
        }
        if try seek(&cursor, isAfter: false), let (range, _) = try range(at: cursor, token) {
            level = min(level, Self.level(of: object, without: range.last))
        }
        return PostingRange(around: object, level: level)
    }

    /// The level of the largest range with an object and without another one.
    private static func level(of object: UInt64, without other: UInt64) -> UInt64 {
        UInt64(max(1, 64 - (object ^ other).leadingZeroBitCount) - 1)
    }

    private func seek(_ cursor: inout RawCursor, isAfter: Bool) throws -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            isAfter ? try cursor.seek(atOrAfter: key) : try cursor.seek(atOrBefore: key)
        }
    }

    /// The range of the entry that a cursor is on, and where its postings begin; nil if the entry
    /// is not one of the token's.
    private func range(
        at cursor: borrowing RawCursor, _ token: UnsafeRawBufferPointer
    ) throws -> (range: PostingRange, start: Int)? {
        try cursor.withKey { key in
            guard key.count > token.count, key.starts(with: token),
                key[token.count] == PostingFormat.sharedMark
            else { return nil }
            guard let (range, start) = PostingFormat.range(in: key, at: token.count + 1) else {
                throw PostingFormat.damage
            }
            return (range, start)
        }
    }

    /// Reads the postings of the entry that a cursor is on, and notes that it is replaced.
    private mutating func take(
        _ cursor: borrowing RawCursor, _ range: PostingRange, at start: Int, isOld: Bool
    ) throws {
        let count = cursor.indexValue
        try cursor.withKey { key in
            let isSound =
                isOld
                ? old.append(&entry, key, at: start, of: range, count)
                : joined.append(&entry, key, at: start, of: range, count)
            guard isSound else { throw PostingFormat.damage }
            replaced.append(Array(key))
        }
    }

    // MARK: Changing

    /// Makes `new` of `old`; gives whether a posting is replaced or gone.
    private mutating func change(
        _ token: UnsafeRawBufferPointer, _ changes: ArraySlice<PostingsBatch.Change>,
        _ batch: PostingsBatch
    ) throws -> Bool {
        new.removeAll()
        var replacesSome = false
        var position = 0
        for change in changes {
            position = keep(position, before: change.object)
            if position < old.postings.count, old.postings[position].object == change.object {
                let count = old.postings[position].count
                if count > UInt64(PostingFormat.positionCountMax) {
                    try removePositions(token, change.object)
                }
                replacesSome = true
                position += 1
            }
            if change.count == 0 { continue }
            try batch.withPositions(of: change) { positions in
                new.append(change.object, change.count, positions)
                try PostingFormat.forEachEntry(
                    ofPositions: positions, change.count, token: token, of: change.object
                ) { key, count in
                    _ = try key.withBytes { (key) throws(StoreError) in
                        try transaction.indexPut(key, value: count, in: keyspace)
                    }
                }
            }
        }
        _ = keep(position, before: nil)
        return replacesSome
    }

    /// Adds the stored postings from a position on that are before an object; gives where the
    /// others begin.
    private mutating func keep(_ first: Int, before object: UInt64?) -> Int {
        var position = first
        old.bytes.withUnsafeBytes { bytes in
            while position < old.postings.count {
                let posting = old.postings[position]
                if let object, posting.object >= object { return }
                new.append(posting.object, posting.count, old.positions(posting, in: bytes))
                position += 1
            }
        }
        return position
    }

    private mutating func removePositions(
        _ token: UnsafeRawBufferPointer, _ object: UInt64
    ) throws {
        PostingFormat.set(&key, token: token, positionsOf: object)
        var found: [[UInt8]] = []
        var cursor = transaction.access.cursor(in: keyspace)
        var isThere = try seek(&cursor, isAfter: true)
        while isThere, cursor.withKey({ $0.starts(with: key.bytes) }) {
            found.append(cursor.withKey { Array($0) })
            isThere = try cursor.next()
        }
        for key in found { try delete(key) }
    }

    // MARK: Joining

    /// Adds the postings of other halves to `new` as long as they fit with them in one range;
    /// gives the range.
    private mutating func join(
        _ token: UnsafeRawBufferPointer, _ range: PostingRange
    ) throws -> PostingRange {
        var range = range
        while range.level < PostingRange.levelMax,
            new.byteCount(in: range) <= PostingFormat.byteCountMax
        {
            let sibling = range.sibling
            let replacedCount = replaced.count
            joined.removeAll()
            if sibling.first > range.first { appendNew() }
            guard try takeWhole(token, sibling) else { break }
            if sibling.first < range.first { appendNew() }
            guard joined.byteCount(in: range.parent) <= PostingFormat.byteCountMax else {
                replaced.removeSubrange(replacedCount...)
                break
            }
            swap(&new, &joined)
            range = range.parent
        }
        return range
    }

    private mutating func appendNew() {
        new.bytes.withUnsafeBytes { bytes in
            for posting in new.postings {
                joined.append(posting.object, posting.count, new.positions(posting, in: bytes))
            }
        }
    }

    /// Reads the postings of a range; false if it has more than one entry.
    private mutating func takeWhole(
        _ token: UnsafeRawBufferPointer, _ wanted: PostingRange
    ) throws -> Bool {
        var cursor = transaction.access.cursor(in: keyspace)
        PostingFormat.set(&key, token: token, from: wanted.first)
        guard try seek(&cursor, isAfter: true), let (found, start) = try range(at: cursor, token),
            found.first <= wanted.last
        else { return true }
        guard found == wanted else { return false }
        try take(cursor, found, at: start, isOld: false)
        return true
    }

    // MARK: Writing

    /// Stores `new` as the postings of a range, in the place of what is replaced.
    private mutating func write(
        _ token: UnsafeRawBufferPointer, _ range: PostingRange
    ) throws {
        var made: [(key: [UInt8], count: Int)] = []
        var list = PostingList()
        swap(&list, &new)
        list.divide(range) { [list] range, places in
            PostingFormat.set(&key, token: token, range)
            list.append(places, of: range, to: &key)
            made.append((key.bytes, places.count))
        }
        swap(&list, &new)
        for key in replaced where !made.contains(where: { $0.key == key }) { try delete(key) }
        for (key, count) in made where !replaced.contains(key) {
            _ = try key.withBytes { (key) throws(StoreError) in
                try transaction.indexPut(key, value: UInt64(count), in: keyspace)
            }
        }
    }

    private func delete(_ key: [UInt8]) throws {
        _ = try key.withBytes { (key) throws(StoreError) in
            try transaction.indexDelete(key, in: keyspace)
        }
    }
}

extension WriteTransaction {
    /// Stores changed postings of full-text indexes.
    func store(_ postings: PostingsBatch) throws {
        var writer = PostingsWriter(self)
        try writer.store(postings)
    }
}

extension RealmSession {
    /// Stores the postings that wait, if there are any: before an index is read, and before a
    /// savepoint and the transaction end.
    @inline(__always)
    func flushPostings() throws {
        if unstored.postings != nil { try storePostings() }
    }

    @inline(never)
    private func storePostings() throws {
        guard let postings = unstored.postings, !postings.isEmpty else { return }
        let transaction = requireOpenTransaction().takeUnretainedValue()
        try transaction.store(postings)
        postings.removeAll()
        advance()
    }

    /// Notes a changed posting.
    func addPosting(_ key: UnsafeRawBufferPointer, count: UInt64, in keyspace: KeyspaceID) throws {
        let postings = unstored.postings ?? PostingsBatch()
        unstored.postings = postings
        postings.add(key, count: count, in: keyspace)
        if postings.isFull { try storePostings() }
    }

    /// Stores what waits in memory.
    func flushUnstored() throws {
        try unstored.nodes.flush(self)
        try flushPostings()
    }
}
