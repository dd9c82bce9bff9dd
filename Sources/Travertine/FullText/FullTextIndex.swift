import OrderedIndex
import TravertineStore

/// Reads the entries of a full-text index.
struct FullTextIndex {
    let keyspace: KeyspaceID
    let tokenizer: FullTextTokenizer
    /// Whether it has the positions of tokens.
    let hasPositions: Bool

    /// The index of a property that has what a tokenizer finds; nil if there is none.
    init?(of slot: Int, in table: TableState, _ tokenizer: FullTextTokenizer) {
        let index = table.rules.indexes.first {
            $0.kind.tokenizer == tokenizer && $0.slots == [slot]
        }
        guard let index else { return nil }
        keyspace = index.keyspace
        hasPositions = index.kind.hasPositions
        self.tokenizer = tokenizer
    }

    /// The entries of a token, or of all tokens that begin so.
    static func range(of unit: FullTextPattern.Unit) -> KeyRange {
        unit.isPrefix
            ? .beginning(with: unit.bytes) : .beginning(with: unit.bytes + [0], isPoint: true)
    }

    /// How many entries of a token are looked at to estimate how many objects have it.
    private static let sampleCount = 32

    /// About how many entries a token has, and how many objects its first ones have: 1 to 16 each
    /// without positions.
    func frequency(
        of unit: FullTextPattern.Unit, _ access: ReadAccess
    ) throws -> FullTextSearch.Frequency {
        let range = Self.range(of: unit)
        var numbers: [UInt64] = []
        var isComplete = true
        var cursor = access.cursor(in: keyspace)
        if try cursor.seek(to: range.lower), let upper = range.upper {
            isComplete = try upper.withBytes { (upper) throws(StoreError) in
                try cursor.appendNumbers(before: upper, upTo: Self.sampleCount, to: &numbers)
            }
        }
        var entries = KeyCount(count: numbers.count, isExact: true)
        if !isComplete { entries = try IndexRanges.count(range, in: keyspace, access) }
        // A sound entry has no more objects than bytes; a damaged one may say any number.
        let objectCountMax = UInt64(PostingFormat.byteCountMax)
        let objectCount = numbers.reduce(0) {
            $0
                + (hasPositions
                    ? Int(min($1, objectCountMax)) : ObjectBlocks.presence($1).nonzeroBitCount)
        }
        return FullTextSearch.Frequency(
            entries: entries,
            objectsPerEntry: Double(objectCount) / Double(max(1, numbers.count)))
    }

    /// How often the objects have a token.
    func postings(of unit: FullTextPattern.Unit, _ access: ReadAccess) throws -> Postings {
        if hasPositions { return try sharedPostings(of: unit, access) }
        var postings = Postings()
        var cursor = access.cursor(in: keyspace)
        let range = Self.range(of: unit)
        guard try cursor.seek(to: range.lower), let upper = range.upper else { return postings }
        let offset = unit.bytes.count + 1
        try upper.withBytes { (upper) throws(StoreError) in
            try cursor.forEachNumber(before: upper) { key, counts in
                // After a beginning comes the rest of the word.
                let place = unit.isPrefix ? (key.firstIndex(of: 0) ?? key.count) + 1 : offset
                guard
                    let first = IndexKey.firstObject(
                        ofBlockIn: key, at: place, shift: FullTextEntries.blockShift)
                else { return }
                postings.firsts.append(first)
                postings.counts.append(counts)
            }
        }
        if unit.isPrefix { postings.normalise() }
        return postings
    }

    /// The objects of a set that have a token, looked up block by block.
    func objects(
        in blocks: ObjectBlocks, with unit: FullTextPattern.Unit, _ access: ReadAccess
    ) throws -> ObjectBlocks {
        if hasPositions { return try sharedObjects(in: blocks, with: unit, access) }
        var found = ObjectBlocks()
        var cursor = access.cursor(in: keyspace)
        var key = IndexKey()
        for position in blocks.firsts.indices {
            let first = blocks.firsts[position]
            unit.bytes.withUnsafeBytes { key.set(token: $0) }
            key.append(blockOf: first, shift: FullTextEntries.blockShift)
            guard try cursor.seek(to: key.bytes, isForward: true) else { break }
            let isSame = key.withBytes { key in cursor.withKey { $0.isSame(as: key) } }
            if isSame {
                found.append(
                    first, blocks.bits[position] & ObjectBlocks.presence(cursor.indexValue))
            }
        }
        return found
    }

    // MARK: Numbers of the whole index

    /// The texts with a token, and the tokens of all texts.
    func totals(_ access: ReadAccess) throws -> (textCount: UInt64, tokenCount: UInt64) {
        func number(_ statistic: UInt8) throws -> UInt64 {
            var key = IndexKey()
            key.set(statistic: statistic)
            return try self.number(key, access)
        }
        return (
            try number(FullTextEntries.textCount), try number(FullTextEntries.tokenCount)
        )
    }

    /// The number under a key; 0 if there is none.
    private func number(_ key: IndexKey, _ access: ReadAccess) throws -> UInt64 {
        var cursor = access.cursor(in: keyspace)
        guard try cursor.seek(to: key.bytes) else { return 0 }
        let isSame = key.withBytes { key in cursor.withKey { $0.isSame(as: key) } }
        return isSame ? cursor.indexValue : 0
    }

    /// The lengths of the texts of an object and of those in one block with it, 16 bits each.
    func lengths(ofBlockWith object: UInt64, _ access: ReadAccess) throws -> UInt64 {
        var key = IndexKey()
        key.set(statistic: FullTextEntries.lengths)
        key.append(blockOf: object, shift: FullTextEntries.lengthShift)
        return try number(key, access)
    }

    /// The lengths of all texts in blocks of four objects, 16 bits each; 65,535 stands for that
    /// number or more.
    func lengths(_ access: ReadAccess) throws -> Postings {
        var lengths = Postings()
        var key = IndexKey()
        key.set(statistic: FullTextEntries.lengths)
        let range = KeyRange.beginning(with: key.bytes)
        var cursor = access.cursor(in: keyspace)
        guard try cursor.seek(to: range.lower), let upper = range.upper else { return lengths }
        try upper.withBytes { (upper) throws(StoreError) in
            try cursor.forEachNumber(before: upper) { key, numbers in
                guard
                    let first = IndexKey.firstObject(
                        ofBlockIn: key, at: 2, shift: FullTextEntries.lengthShift)
                else { return }
                lengths.firsts.append(first)
                lengths.counts.append(numbers)
            }
        }
        return lengths
    }
}

extension RawCursor {
    /// Moves to the first key at or after one; `isForward` if that is at or after the current one.
    mutating func seek(to key: [UInt8], isForward: Bool = false) throws -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            isForward ? try seekForward(to: key) : try seek(atOrAfter: key)
        }
    }
}
