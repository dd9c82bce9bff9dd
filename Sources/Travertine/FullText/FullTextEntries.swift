import TravertineStore

/// The tokens that a full-text index has of one text, each once, with how often it occurs.
struct TokenCounts {
    /// A token's bytes in `bytes`, and how often it occurs.
    private struct Span {
        var start: Int
        var byteCount: Int
        var count: UInt64 = 1
    }

    private var bytes: [UInt8] = []
    /// In the order of the tokens' bytes.
    private var spans: [Span] = []
    /// The number of tokens, repeated ones too.
    private(set) var total: UInt64 = 0

    /// No token.
    init() {}

    init(of text: UnsafeRawBufferPointer, _ tokenizer: FullTextTokenizer) {
        var scanner = TokenScanner(tokenizer)
        var bytes: [UInt8] = []
        var spans: [Span] = []
        bytes.reserveCapacity(text.count * (tokenizer == .trigrams ? 3 : 1))
        scanner.forEachToken(of: text) { token in
            spans.append(Span(start: bytes.count, byteCount: token.count))
            bytes.append(contentsOf: token)
        }
        total = UInt64(spans.count)
        bytes.withUnsafeBytes { bytes in
            func token(_ span: Span) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.start + span.byteCount])
            }
            spans.sort { token($0).order(to: token($1)) < 0 }
            var end = 0
            for position in spans.indices {
                if end > 0, token(spans[end - 1]).isSame(as: token(spans[position])) {
                    spans[end - 1].count += 1
                } else {
                    spans[end] = spans[position]
                    end += 1
                }
            }
            spans.removeSubrange(end...)
        }
        self.bytes = bytes
        self.spans = spans
    }

    /// Calls `body` with each token that either has, and how often each has it, in the order of
    /// their bytes.
    func forEach(
        with other: TokenCounts,
        _ body: (UnsafeRawBufferPointer, _ count: UInt64, _ otherCount: UInt64) -> Void
    ) {
        bytes.withUnsafeBytes { bytes in
            other.bytes.withUnsafeBytes { otherBytes in
                var (position, otherPosition) = (0, 0)
                while position < spans.count || otherPosition < other.spans.count {
                    let token = Self.token(at: position, spans, bytes)
                    let otherToken = Self.token(at: otherPosition, other.spans, otherBytes)
                    let order =
                        token.map { token in otherToken.map { token.order(to: $0) } ?? -1 } ?? 1
                    var counts: (UInt64, UInt64) = (0, 0)
                    if order <= 0 {
                        counts.0 = spans[position].count
                        position += 1
                    }
                    if order >= 0 {
                        counts.1 = other.spans[otherPosition].count
                        otherPosition += 1
                    }
                    guard let found = order <= 0 ? token : otherToken else { return }
                    body(found, counts.0, counts.1)
                }
            }
        }
    }

    private static func token(
        at position: Int, _ spans: [Span], _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard position < spans.count else { return nil }
        let span = spans[position]
        return UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.start + span.byteCount])
    }
}

/// The entries of a full-text index (Format.md 5.7).
///
/// The 16 objects of a block share the entry of a token: four bits each say how often the object
/// has it. Four objects share an entry with the lengths of their texts.
struct FullTextEntries {
    /// The objects of a token's entry.
    static let blockShift: UInt64 = 4
    /// How often a token occurs, if it is no more often than that.
    static let countMax: UInt64 = 15
    /// The objects of an entry of lengths.
    static let lengthShift: UInt64 = 2
    /// The length of a text, if it is no longer than that.
    static let lengthMax: UInt64 = 0xFFFF

    /// The texts that have a token.
    static let textCount: UInt8 = 0
    /// The tokens of all texts.
    static let tokenCount: UInt8 = 1
    /// The lengths of texts, by blocks.
    static let lengths: UInt8 = 2

    let keyspace: KeyspaceID
    let rule: DerivedRules.Origin

    /// Adds what must change from the tokens that an object had to those that it has.
    func add(
        of object: UInt64, from old: TokenCounts, to new: TokenCounts, to entries: DerivedEntries
    ) {
        var key = IndexKey()
        let shift = 4 * (object & 15)
        old.forEach(with: new) { token, before, after in
            let change = min(after, Self.countMax) &- min(before, Self.countMax)
            if change == 0 { return }
            key.set(token: token)
            key.append(blockOf: object, shift: Self.blockShift)
            put(key, change << shift, to: entries)
        }
        if old.total == new.total { return }
        key.set(statistic: Self.textCount)
        put(key, UInt64(new.total > 0 ? 1 : 0) &- (old.total > 0 ? 1 : 0), to: entries)
        key.set(statistic: Self.tokenCount)
        put(key, new.total &- old.total, to: entries)
        let change = min(new.total, Self.lengthMax) &- min(old.total, Self.lengthMax)
        key.set(statistic: Self.lengths)
        key.append(blockOf: object, shift: Self.lengthShift)
        put(key, change << (16 * (object & 3)), to: entries)
    }

    private func put(_ key: IndexKey, _ change: UInt64, to entries: DerivedEntries) {
        if change == 0 { return }
        entries.append(.addBits, rule, keyspace, key, value: change)
    }
}
