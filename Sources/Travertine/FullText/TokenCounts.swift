/// The tokens that a full-text index has of one text, each once, with how often it occurs, and
/// where.
struct TokenCounts {
    /// How often a token occurs in a text.
    struct Occurrences {
        var count: UInt64 = 0
        /// Its positions as a posting has them (Format.md 5.7), if they were asked for.
        var positions = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// A token's bytes in `bytes`, how often it occurs, and the bytes of its positions in
    /// `positions`. There is one for each word of a text at first, so it is small; a text has at
    /// most 32 MB.
    private struct Span {
        /// Its first bytes as a number, which is compared before them.
        var word: UInt64
        var start: UInt32
        var byteCount: UInt32
        /// The position of its first occurrence.
        var position: UInt32
        var count: UInt32 = 1
        var positionsStart: UInt32 = 0
        var positionsEnd: UInt32 = 0

        /// Whether the word has all bytes; no token has a 0.
        var isWord: Bool { byteCount <= 8 }
        var bytes: Range<Int> { Int(start)..<Int(start) + Int(byteCount) }
        var positions: Range<Int> { Int(positionsStart)..<Int(positionsEnd) }
    }

    private var bytes: [UInt8] = []
    private var positions: [UInt8] = []
    /// In the order of the tokens' bytes.
    private var spans: [Span] = []
    /// The number of tokens, repeated ones too.
    private(set) var total: UInt64 = 0

    /// No token.
    init() {}

    init(of text: UnsafeRawBufferPointer, _ tokenizer: FullTextTokenizer, withPositions: Bool) {
        var scanner = TokenScanner(tokenizer)
        var bytes: [UInt8] = []
        var spans: [Span] = []
        bytes.reserveCapacity(text.count * (tokenizer == .trigrams ? 3 : 1))
        scanner.forEachToken(of: text) { token in
            spans.append(
                Span(
                    word: token.word(at: 0), start: UInt32(bytes.count),
                    byteCount: UInt32(token.count), position: UInt32(spans.count)))
            bytes.append(contentsOf: token)
        }
        total = UInt64(spans.count)
        var positions: [UInt8] = []
        if withPositions { positions.reserveCapacity(spans.count) }
        bytes.withUnsafeBytes { bytes in
            func token(_ span: Span) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[span.bytes])
            }
            spans.sort {
                if $0.word != $1.word { return $0.word < $1.word }
                let order = $0.isWord && $1.isWord ? 0 : token($0).order(to: token($1))
                return order == 0 ? $0.position < $1.position : order < 0
            }
            var end = 0
            var last: UInt32 = 0
            for place in spans.indices {
                let span = spans[place]
                let isSame =
                    end > 0 && spans[end - 1].word == span.word
                    && (spans[end - 1].isWord && span.isWord
                        || token(spans[end - 1]).isSame(as: token(span)))
                if isSame {
                    spans[end - 1].count += 1
                } else {
                    spans[end] = span
                    spans[end].positionsStart = UInt32(positions.count)
                    end += 1
                }
                if withPositions {
                    let distance = isSame ? span.position - last - 1 : span.position
                    PostingFormat.append(varint: UInt64(distance), to: &positions)
                    last = span.position
                    spans[end - 1].positionsEnd = UInt32(positions.count)
                }
            }
            spans.removeSubrange(end...)
        }
        self.bytes = bytes
        self.positions = positions
        self.spans = spans
    }

    /// Calls `body` with each token that either has, and how often each has it, in the order of
    /// their bytes.
    func forEach(
        with other: TokenCounts,
        _ body: (UnsafeRawBufferPointer, _ own: Occurrences, _ others: Occurrences) -> Void
    ) {
        withBytes { bytes, positions in
            other.withBytes { otherBytes, otherPositions in
                var (place, otherPlace) = (0, 0)
                while place < spans.count || otherPlace < other.spans.count {
                    let token = Self.token(at: place, spans, bytes)
                    let otherToken = Self.token(at: otherPlace, other.spans, otherBytes)
                    let order =
                        token.map { token in otherToken.map { token.order(to: $0) } ?? -1 } ?? 1
                    var (own, others) = (Occurrences(), Occurrences())
                    if order <= 0 {
                        own = Self.occurrences(spans[place], positions)
                        place += 1
                    }
                    if order >= 0 {
                        others = Self.occurrences(other.spans[otherPlace], otherPositions)
                        otherPlace += 1
                    }
                    guard let found = order <= 0 ? token : otherToken else { return }
                    body(found, own, others)
                }
            }
        }
    }

    private func withBytes(
        _ body: (_ bytes: UnsafeRawBufferPointer, _ positions: UnsafeRawBufferPointer) -> Void
    ) {
        bytes.withUnsafeBytes { bytes in positions.withUnsafeBytes { body(bytes, $0) } }
    }

    private static func token(
        at place: Int, _ spans: [Span], _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        guard place < spans.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[spans[place].bytes])
    }

    private static func occurrences(
        _ span: Span, _ positions: UnsafeRawBufferPointer
    ) -> Occurrences {
        Occurrences(
            count: UInt64(span.count),
            positions: UnsafeRawBufferPointer(rebasing: positions[span.positions]))
    }
}
