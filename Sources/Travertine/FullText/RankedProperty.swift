import TravertineStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One property's part in the scores of a ranking (W8).
final class RankedProperty {
    private let counters: [TableTokenCounts]
    private var weights: [Double] = []
    private var meanLength = 1.0

    /// - Parameter rowCount: how many rows are ranked.
    init(
        _ name: String, _ query: FullTextQuery, _ tables: [TableState], rowCount: Int
    ) throws {
        counters = try tables.map { table in
            guard let slot = table.slot(named: name) else {
                misuse("\(table.className) has no property '\(name)', by which is ranked.")
            }
            let pattern = FullTextPattern(query, FullTextTokenizer(of: slot, in: table))
            return try TableTokenCounts(
                pattern.rankedTokens, pattern.tokenizer, slot, table, rowCount: rowCount)
        }
        guard let first = counters.first else { return }
        let textCount = counters.reduce(0) { $0 + $1.textCount }
        let tokenCount = counters.reduce(0) { $0 + $1.tokenCount }
        if textCount > 0 { meanLength = Double(tokenCount) / Double(textCount) }
        weights = first.tokens.indices.map { token in
            let frequency = counters.reduce(0) { $0 + $1.frequencies[token] }
            return Self.inverseFrequency(Double(frequency), of: Double(textCount))
        }
    }

    /// ln(1 + (N − n + 0.5) / (n + 0.5)).
    private static func inverseFrequency(_ count: Double, of textCount: Double) -> Double {
        log(1 + (textCount - count + 0.5) / (count + 0.5))
    }

    /// The score of a row by this property alone.
    func score(of row: FoundRow) throws -> Double {
        let part = row.isElement ? counters.count : Int(row.part)
        guard part < counters.count else { return 0 }
        let counter = counters[part]
        try counter.load(row)
        if counter.length == 0 { return 0 }
        let norm =
            Ranking.k1 * (1 - Ranking.b + Ranking.b * Double(counter.length) / meanLength)
        var score = 0.0
        for (token, count) in counter.counts.enumerated() where count > 0 {
            let count = Double(count)
            score += weights[token] * count * (Ranking.k1 + 1) / (count + norm)
        }
        return score
    }
}

/// How often the texts of one property of one table have some tokens: from its full-text index,
/// else from its rows.
final class TableTokenCounts {
    let tokens: [FullTextPattern.Unit]
    /// The texts with a token.
    private(set) var textCount: UInt64 = 0
    /// The tokens of all texts.
    private(set) var tokenCount: UInt64 = 0
    /// By token: the texts that have it.
    private(set) var frequencies: [UInt64]
    /// Of the row that was loaded last: how often its text has each token, and its length.
    @exclusivity(unchecked) private(set) var counts: [UInt64]
    @exclusivity(unchecked) private(set) var length: UInt64 = 0

    private let table: TableState
    private let slot: Int
    private let counter: TokenCounter
    /// By token; empty without an index.
    @exclusivity(unchecked) private var postings: [Postings] = []
    /// The lengths of all texts; nil if those of single ones are looked up.
    @exclusivity(unchecked) private var lengths: Postings?
    /// Where the blocks of the last row are, by token, and of the lengths.
    @exclusivity(unchecked) private var places: [Int] = []
    @exclusivity(unchecked) private var lengthPlace = 0
    @exclusivity(unchecked) private var lastKey: UInt64 = 0
    private let index: FullTextIndex?

    /// How many times as many texts there must be as rows that are ranked, for the lengths of these
    /// to be looked up one by one.
    private static let lookUpFactor: UInt64 = 128

    init(
        _ tokens: [FullTextPattern.Unit], _ tokenizer: FullTextTokenizer, _ slot: Int,
        _ table: TableState, rowCount: Int
    ) throws {
        self.tokens = tokens
        self.table = table
        self.slot = slot
        counter = TokenCounter(tokens, tokenizer)
        frequencies = tokens.map { _ in 0 }
        counts = tokens.map { _ in 0 }
        assert(
            table.session.unstored.postings?.isEmpty ?? true,
            "postings wait while rows are ranked")
        let access = try table.session.access
        index = QueryPlanning.isScanOnly ? nil : FullTextIndex(of: slot, in: table, tokenizer)
        guard let index else {
            try countRows()
            return
        }
        (textCount, tokenCount) = try index.totals(access)
        if UInt64(rowCount) * Self.lookUpFactor >= textCount {
            lengths = try index.lengths(access)
        }
        for (token, unit) in tokens.enumerated() {
            let found = try index.postings(of: unit, access)
            frequencies[token] = found.counts.reduce(0) {
                $0 + UInt64(ObjectBlocks.presence($1).nonzeroBitCount)
            }
            postings.append(found)
        }
        places = tokens.map { _ in 0 }
    }

    private func countRows() throws {
        try table.session.scan(table) { _, row in
            try count(row)
            if length > 0 { textCount += 1 }
            tokenCount += length
            for (token, count) in counts.enumerated() where count > 0 { frequencies[token] += 1 }
            return true
        }
    }

    /// Counts what a row's text has.
    private func count(_ row: UnsafeRawBufferPointer) throws {
        let value = table.value(at: slot, in: row, try table.binding(of: row))
        guard case .bytes(let text) = value else {
            length = 0
            for token in counts.indices { counts[token] = 0 }
            return
        }
        length = counter.count(text, &counts)
    }

    /// Finds what the text of a row has.
    func load(_ row: FoundRow) throws {
        guard let index else { return try count(row.bytes) }
        let key = row.key
        if key < lastKey {
            for token in places.indices { places[token] = 0 }
            lengthPlace = 0
        }
        lastKey = key
        var block: UInt64 = 0
        if let lengths {
            lengthPlace = SortedKeys.position(
                in: lengths.firsts, notBefore: key & ~3, from: lengthPlace)
            if lengthPlace < lengths.firsts.count, lengths.firsts[lengthPlace] == key & ~3 {
                block = lengths.counts[lengthPlace]
            }
        } else {
            block = try index.lengths(ofBlockWith: key, try table.session.access)
        }
        length = block >> (16 * (key & 3)) & FullTextEntries.lengthMax
        var isCut = length == FullTextEntries.lengthMax
        for token in postings.indices {
            places[token] = SortedKeys.position(
                in: postings[token].firsts, notBefore: key & ~15, from: places[token])
            let place = places[token]
            counts[token] = 0
            guard place < postings[token].firsts.count, postings[token].firsts[place] == key & ~15
            else { continue }
            counts[token] =
                postings[token].counts[place] >> (4 * (key & 15)) & FullTextEntries.countMax
            if counts[token] == FullTextEntries.countMax { isCut = true }
        }
        if isCut { try count(row.bytes) }
    }
}

/// Counts tokens in texts.
final class TokenCounter {
    private let tokens: [FullTextPattern.Unit]
    @exclusivity(unchecked) private var scanner: TokenScanner
    /// Tokens by their first byte.
    private var buckets: [[Int]] = Array(repeating: [], count: 256)

    init(_ tokens: [FullTextPattern.Unit], _ tokenizer: FullTextTokenizer) {
        self.tokens = tokens
        scanner = TokenScanner(tokenizer)
        for (position, token) in tokens.enumerated() {
            if let first = token.bytes.first { buckets[Int(first)].append(position) }
        }
    }

    /// Counts how often a text has each token; gives the number of all its tokens.
    func count(_ text: UnsafeRawBufferPointer, _ counts: inout [UInt64]) -> UInt64 {
        for token in counts.indices { counts[token] = 0 }
        var total: UInt64 = 0
        scanner.forEachToken(of: text) { found in
            total += 1
            for token in buckets[Int(found[0])] where tokens[token].matches(found) {
                counts[token] += 1
            }
        }
        return total
    }
}
