import TravertineStore

/// Stores changed postings in the entries of a full-text index (O31).
///
/// For each change the range is found whose entry it falls into: that of the entry around the
/// object, else the largest one around it without another entry. Postings that come after all
/// others of the entry, and for which it has room, are put into its bytes. Otherwise the postings
/// of the range are changed, the range is joined with the other half of the one around it as long
/// as both fit, and what does not fit is divided. Entries of other ranges stay as they are.
struct PostingsWriter {
    private let transaction: WriteTransaction
    private var keyspace = KeyspaceID.system
    private var key = IndexKey()
    private var entry = PostingEntry()
    /// The key of the entry that changes fall into; empty if there is none.
    private var stored: [UInt8] = []
    /// Where its postings begin, and their number.
    private var (storedStart, storedCount): (Int, UInt64) = (0, 0)
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
            var position = changes.startIndex
            while position < changes.endIndex {
                let range = try find(token, changes[position].object)
                var end = position + 1
                while end < changes.endIndex, range.contains(changes[end].object) { end += 1 }
                let some = changes[position..<end]
                if try !extend(token, range, some, batch) {
                    try takeStored(range)
                    let replacesSome = try change(token, some, batch)
                    try write(token, replacesSome ? try join(token, range) : range)
                }
                position = end
            }
        }
    }

    // MARK: Reading

    /// The range that changes of an object fall into; copies the key of its entry, if it has one.
    private mutating func find(
        _ token: UnsafeRawBufferPointer, _ object: UInt64
    ) throws -> PostingRange {
        stored.removeAll(keepingCapacity: true)
        var cursor = transaction.access.cursor(in: keyspace)
        PostingFormat.set(&key, token: token, from: object)
        var level = PostingRange.levelMax
        let isThere = try seek(&cursor, isAfter: true)
        if isThere, let (range, start) = try range(at: cursor, token) {
            if range.contains(object) {
                (storedStart, storedCount) = (start, cursor.indexValue)
                cursor.withKey { stored.append(contentsOf: $0) }
                return range
            }
            level = Self.level(of: object, without: range.last)
        }
        // No entry has the key that was looked for.
        if isThere ? try cursor.previous() : try seek(&cursor, isAfter: false),
            let (range, _) = try range(at: cursor, token)
        {
            level = min(level, Self.level(of: object, without: range.last))
        }
        return PostingRange(around: object, level: level)
    }

    /// Reads the postings of the entry that was found, if there is one, and notes that it is
    /// replaced.
    private mutating func takeStored(_ range: PostingRange) throws {
        old.removeAll()
        replaced.removeAll(keepingCapacity: true)
        if stored.isEmpty { return }
        let key = stored
        let isSound = key.withUnsafeBytes {
            old.append(&entry, $0, at: storedStart, of: range, storedCount)
        }
        guard isSound else { throw PostingFormat.damage }
        replaced.append(key)
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

    /// Adds the postings of the entry that a cursor is on to `joined`, and notes that it is
    /// replaced.
    private mutating func take(
        _ cursor: borrowing RawCursor, _ range: PostingRange, at start: Int
    ) throws {
        let count = cursor.indexValue
        try cursor.withKey { key in
            guard joined.append(&entry, key, at: start, of: range, count) else {
                throw PostingFormat.damage
            }
            replaced.append(Array(key))
        }
    }

    // MARK: Extending

    /// Adds postings after all others of the entry that was found, or as those of a new one, if
    /// they have their positions with them and there is room; gives whether that was done.
    private mutating func extend(
        _ token: UnsafeRawBufferPointer, _ range: PostingRange,
        _ changes: ArraySlice<PostingsBatch.Change>, _ batch: PostingsBatch
    ) throws -> Bool {
        var (start, end) = (storedStart, 0)
        var last: UInt64?
        if stored.isEmpty {
            PostingFormat.set(&key, token: token, range)
            start = key.bytes.count
        } else {
            guard let objects = Self.objects(in: stored, at: start, of: range, storedCount) else {
                return false
            }
            (last, end) = objects
            key.removeAll()
            stored.withUnsafeBytes {
                key.append(raw: UnsafeRawBufferPointer(rebasing: $0[..<end]))
            }
        }
        var next = last.map { $0 &+ 1 } ?? range.first
        for change in changes {
            guard last.map({ change.object > $0 }) ?? true, change.count > 0,
                change.count <= UInt64(PostingFormat.positionCountMax)
            else { return false }
            key.append(distance: change.object - next, change.count)
            (last, next) = (change.object, change.object &+ 1)
            if key.bytes.count - start > PostingFormat.byteCountMax { return false }
        }
        stored.withUnsafeBytes { key.append(raw: UnsafeRawBufferPointer(rebasing: $0[end...])) }
        for change in changes {
            batch.withPositions(of: change) { key.append(raw: $0) }
            if key.bytes.count - start > PostingFormat.byteCountMax { return false }
        }
        let count = UInt64(changes.count) + (stored.isEmpty ? 0 : storedCount)
        if !stored.isEmpty { try delete(stored) }
        try put(key.bytes, count)
        return true
    }

    /// The last object of an entry, and where its positions begin; nil if the bytes are no
    /// postings, which `takeStored` reports.
    private static func objects(
        in key: [UInt8], at start: Int, of range: PostingRange, _ count: UInt64
    ) -> (last: UInt64, end: Int)? {
        key.withUnsafeBytes { key in
            var last: UInt64?
            var positionCount: UInt64 = 0
            let end = PostingEntry.forEach(in: key, at: start, of: range, count) { object, count in
                last = object
                if count <= UInt64(PostingFormat.positionCountMax) { positionCount += count }
            }
            guard let last, let end, key.count == end || key[key.count - 1] < 0x80 else {
                return nil
            }
            for byte in key[end...] where byte < 0x80 { positionCount &-= 1 }
            return positionCount == 0 ? (last, end) : nil
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
        try take(cursor, found, at: start)
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
            try put(key, UInt64(count))
        }
    }

    private func put(_ key: [UInt8], _ count: UInt64) throws {
        _ = try key.withBytes { (key) throws(StoreError) in
            try transaction.indexPut(key, value: count, in: keyspace)
        }
    }

    private func delete(_ key: [UInt8]) throws {
        _ = try key.withBytes { (key) throws(StoreError) in
            try transaction.indexDelete(key, in: keyspace)
        }
    }
}
