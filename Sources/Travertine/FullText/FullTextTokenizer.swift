/// What a full-text index enters of a text, and what searches of the property look for.
///
/// ```swift
/// @Persisted(indexed: .fullText) var summary: String
/// @Persisted(indexed: .fullText(.trigrams)) var partNumber: String
/// ```
/// Whatever the tokenizer, letters are folded: case and marks do not count.
public enum FullTextTokenizer: UInt8, Sendable, Hashable, CaseIterable {
    /// The words of a text, after the rules of Unicode.
    case words = 0
    /// All characters, with blanks and punctuation: a search finds parts of words. The index has
    /// every three characters that follow one another, and also serves `CONTAINS`, `BEGINSWITH`,
    /// `ENDSWITH` and `LIKE`, with and without `[c]`, for three characters or more.
    case trigrams = 1
    /// Each letter and digit: for scripts without blanks between words, as Chinese and Japanese.
    case codePoints = 2
}

extension FullTextTokenizer {
    /// Whether a term with several units looks for these one right after the other, also where it
    /// is not in quotes.
    var joinsUnits: Bool { self != .words }

    /// The units of a trigram.
    static let trigramUnitCount = 3

    /// How the property that a path ends with is searched: as its class declares, or as it is
    /// stored where there is no class; by words if it has no full-text index.
    init(of reader: PropertyReader) {
        self = .words
        guard case .property(.only) = reader.end, reader.steps.isEmpty else { return }
        self.init(of: reader.slot, in: reader.table)
    }

    init(of slot: Int, in table: TableState) {
        self = .words
        if let info = table.classInfo, slot < info.properties.count {
            if info.properties[slot].isFullText { self = info.properties[slot].tokenizer }
            return
        }
        let index = table.rules.indexes.first { $0.kind.tokenizer != nil && $0.slots == [slot] }
        self = index?.kind.tokenizer ?? .words
    }
}
