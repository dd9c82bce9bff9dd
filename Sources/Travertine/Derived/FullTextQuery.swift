extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Every word of a text occurs, in any order; case and marks don't count; nil has no words.
    ///
    /// A property with `@Persisted(indexed: .fullText)` is looked up in its index; another is read
    /// in every object. A text without words is found nowhere.
    public func fullText(_ words: String) -> Query<Bool> {
        Query<Bool>(.words(path, words), scope: scope)
    }
}

/// Looks for words in strings.
final class WordsTest: RowTest {
    private let reader: PropertyReader
    private let wanted: Set<String>

    init(_ reader: PropertyReader, _ text: String) {
        self.reader = reader
        wanted = Set(WordSplitter.words(of: text).keys)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        if wanted.isEmpty { return false }
        return try reader.any(row, binding, key) { value in
            guard case .bytes(let bytes) = value else { return false }
            var missing = wanted
            WordSplitter.forEachWord(of: String(decoding: bytes, as: UTF8.self)) {
                missing.remove($0)
            }
            return missing.isEmpty
        }
    }
}
