/// Looks for what a full-text query says in strings.
final class WordsTest: RowTest {
    private let reader: PropertyReader
    private let matcher: FullTextMatcher

    init(_ reader: PropertyReader, _ query: FullTextQuery) {
        self.reader = reader
        matcher = FullTextMatcher(FullTextPattern(query, FullTextTokenizer(of: reader)))
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        if matcher.pattern.root == nil { return false }
        return try reader.any(row, binding, key) { value in
            guard case .bytes(let text) = value else { return false }
            return matcher.matches(text)
        }
    }
}
