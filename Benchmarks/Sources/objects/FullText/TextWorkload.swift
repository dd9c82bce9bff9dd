import Measurement

/// A full-text query that is compared with SQLite's FTS5, on 60,000 texts.
enum TextWorkload: String, CaseIterable {
    case twoWords, prefix, phrase, near, ranked, rankedRare

    static let rowPrefix = "t_"
    /// The row of the space that the index takes.
    static let indexBytes = "t_index_bytes"
    /// The rows of texts that are stored with the index, many and one in a transaction.
    static let load = "t_load"
    static let add = "t_add"

    var row: String {
        let words = rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
        }
        return Self.rowPrefix + words
    }

    static var workloads: [Workload] {
        allCases.map {
            Workload(
                $0.row, unit: "queries/s", target: .ratio(1), peer: "grdb_sql",
                meaning: $0.meaning + " With other words each time. SQL: FTS5.")
        } + [
            Workload(
                load, unit: "texts/s", peer: "grdb_sql",
                meaning: "Texts stored with their index, 10,000 in a transaction."),
            Workload(
                add, unit: "commits/s", peer: "grdb_sql",
                meaning: "One text more in each transaction, without waiting for the disk."),
            Workload(
                indexBytes, unit: "B/text", better: .lower, target: .ratio(0.77), peer: "grdb_sql",
                meaning: "What a database with the index takes after compaction more than one "
                    + "without. SQL: FTS5 with its content in the table, VACUUM."),
        ]
    }

    private var meaning: String {
        switch self {
        case .twoWords: "How many texts have two words."
        case .prefix: "How many have a word that begins with three letters."
        case .phrase: "How many have two words one right after the other."
        case .near: "How many have two words with at most eight between them."
        case .ranked: "The ten best of two words, by BM25."
        case .rankedRare: "The ten best of either of two words that few texts have."
        }
    }
}

/// A database of texts.
protocol TextEngine: AnyObject {
    /// - Parameter isIndexed: whether the texts have a full-text index.
    init(directory: String, isIndexed: Bool) throws
    func close() throws
    /// Stores texts in one transaction.
    ///
    /// - Parameter first: the number of the first one; the others follow.
    func insert(_ texts: [String], from first: Int) throws
    /// Brings everything to the least space.
    func compact() throws
    /// Bytes of everything, without what is allocated ahead.
    func byteCount() throws -> Int
    /// Runs a query on the words of a variant.
    ///
    /// - Returns: the number of texts found, of ranked ones at most ten.
    func run(_ query: TextWorkload, _ words: TextFacts.Words) throws -> Int
}
