import TravertineStore

extension RealmCollection where Element: ObjectBase {
    /// The objects whose texts have what a full-text query says, the best matches first.
    ///
    /// ```swift
    /// let query = try FullTextQuery(field.text)
    /// for match in articles.ranked(by: \.title, \.text, matching: query, limit: 10) {
    ///     print(match.score, match.object.title, match.snippet(of: \.text))
    /// }
    /// ```
    /// A word may be in any of the properties; a phrase and what is near must be in one of them.
    /// The score is the sum over the properties of BM25 of the words that the query looks for, by
    /// their numbers in all objects of the type: a word counts more the fewer texts have it, the
    /// more often it is in this text, and the shorter this is. Objects with one score keep their
    /// order.
    ///
    /// With a full-text index of the words or code points of each property hardly a text is read;
    /// without an index each call reads all objects of the type. Stops for a property that is no
    /// string of the objects themselves.
    ///
    /// - Parameters:
    ///   - keyPaths: string properties of the objects.
    ///   - weights: what the scores of the properties are multiplied by, one number of 0 or more
    ///     for each; nil for 1. A property with 0 is searched and does not count.
    ///   - query: what is looked for.
    ///   - limit: the most matches that are given; nil for all.
    public func ranked(
        by keyPaths: PartialKeyPath<Element>..., weights: [Double]? = nil,
        matching query: FullTextQuery, limit: Int? = nil
    ) -> RankedResults<Element> {
        ranked(by: keyPaths, weights: weights, matching: query, limit: limit)
    }

    /// The objects whose texts have what a full-text query says, the best matches first.
    ///
    /// - Parameters:
    ///   - keyPaths: string properties of the objects.
    ///   - weights: what the scores of the properties are multiplied by, one number of 0 or more
    ///     for each; nil for 1. A property with 0 is searched and does not count.
    ///   - query: what is looked for.
    ///   - limit: the most matches that are given; nil for all.
    public func ranked(
        by keyPaths: [PartialKeyPath<Element>], weights: [Double]? = nil,
        matching query: FullTextQuery, limit: Int? = nil
    ) -> RankedResults<Element> {
        RankedResults(
            _results, keyPaths.map { KeyPathTracer.requiredName(of: $0) }, weights, query, limit)
    }
}

/// Objects in the order of their scores for a full-text query: live, and found when something is
/// asked of them.
public struct RankedResults<Element: ObjectBase> {
    private let results: Results<Element>
    private let ranking: Ranking
    private let query: FullTextQuery

    fileprivate init(
        _ results: Results<Element>, _ names: [String], _ weights: [Double]?,
        _ query: FullTextQuery, _ limit: Int?
    ) {
        require(!names.isEmpty, "Name a property whose texts are ranked: ranked(by: \\.text, …).")
        require((limit ?? 0) >= 0, "A limit is 0 or more, not \(limit ?? 0).")
        let weights = weights ?? names.map { _ in 1 }
        require(
            weights.count == names.count,
            "There are \(weights.count) weights for \(names.count) properties. Give one for each.")
        require(
            weights.allSatisfy { $0 >= 0 && $0.isFinite },
            "Weights are finite numbers of 0 or more, not \(weights).")
        let filter = RankingFilter(names, query, results.state.table)
        self.results = results.adding(filter.predicate)
        self.query = query
        ranking = Ranking(self.results.state, names, weights, query, limit: limit)
    }
}

extension RankedResults: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last match.
    public var endIndex: Int { results.state.read(0) { try ranking.matches().count } }

    /// The match at a position; stops beyond the end.
    public subscript(position: Int) -> RankedResult<Element> {
        let match = results.state.read(nil) { () -> Ranking.Match? in
            let matches = try ranking.matches()
            return matches.indices.contains(position) ? matches[position] : nil
        }
        guard let match else {
            misuse("Index \(position) is out of bounds: there are \(count) matches.")
        }
        return RankedResult(
            object: results.make(match.row), score: match.score, query: query,
            table: results.state.table(of: match.row))
    }
}

/// An object that a full-text query finds, with its score.
public struct RankedResult<Element: ObjectBase> {
    /// The object.
    public let object: Element
    /// How well it matches: the greater the better. Scores of one query can be compared.
    public let score: Double
    let query: FullTextQuery
    /// The table of the object.
    let table: TableState

    /// The part of a property's text with the most of what the query looks for, which is marked;
    /// empty for nil. Stops for a property that is no string.
    ///
    /// - Parameters:
    ///   - keyPath: a string property of the object.
    ///   - wordCount: how many words are shown on both sides of what is found.
    ///   - marks: what is put before and after what is found.
    ///   - ellipsis: what is put in place of the text before and after the part.
    public func snippet(
        of keyPath: PartialKeyPath<Element>, around wordCount: Int = 8,
        marks: (before: String, after: String) = ("<b>", "</b>"), ellipsis: String = "…"
    ) -> String {
        let name = KeyPathTracer.requiredName(of: keyPath)
        guard let text = object[keyPath: keyPath] as? String? else {
            misuse("Snippets are of strings, and '\(name)' is none.")
        }
        let tokenizer = table.slot(named: name).map { FullTextTokenizer(of: $0, in: table) }
        return query.snippet(
            of: text ?? "", around: wordCount, tokenizer: tokenizer ?? .words, marks: marks,
            ellipsis: ellipsis)
    }
}
