import TravertineStore

/// The access paths by indexes of words and of trigrams.
extension Planner {
    /// The path of a full-text query along the index of its property.
    func wordsPath(_ reader: PropertyReader, _ query: FullTextQuery) throws -> AccessPath? {
        guard let slot = reader.directSlot else { return nil }
        let pattern = FullTextPattern(query, FullTextTokenizer(of: reader))
        if pattern.root == nil { return .nothing }
        guard let index = FullTextIndex(of: slot, in: table, pattern.tokenizer),
            let search = try FullTextSearch(
                pattern, index, slot: slot, rowCount: rowCount, access)
        else { return nil }
        return AccessPath(search)
    }

    /// The path of a condition on the text of a property with an index of trigrams; nil for options
    /// with `[d]`, which folds otherwise, and for fewer than three characters.
    func trigramPath(
        _ reader: PropertyReader, _ operation: Comparison.Operation, _ text: String,
        _ options: StringOptions
    ) throws -> AccessPath? {
        guard !options.contains(.diacriticInsensitive), reader.type.type == .string,
            let slot = reader.directSlot,
            let index = FullTextIndex(of: slot, in: table, .trigrams)
        else { return nil }
        let parts: [String]
        switch operation {
        case .contains, .beginsWith, .endsWith: parts = [text]
        case .like: parts = TextPattern.literals(of: text)
        default: return nil
        }
        guard
            let search = try FullTextSearch(
                parts: parts, index, slot: slot, rowCount: rowCount, access)
        else { return nil }
        return AccessPath(search)
    }
}

extension AccessPath {
    fileprivate init(_ search: FullTextSearch) {
        if search.count.count == 0, search.count.isExact {
            self = .nothing
            return
        }
        // Candidates whose texts must be looked at.
        let tests = search.isExact ? 0 : PlanCost.textTest * Double(search.count.count)
        self.init(
            kind: .words(search), count: search.count, cost: search.cost + tests,
            isExact: search.isExact)
    }
}

extension TextPattern {
    /// The texts between the `*` and `?` of a pattern.
    static func literals(of pattern: String) -> [String] {
        var literals: [String] = []
        var literal = String.UnicodeScalarView()
        var scalars = pattern.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            if scalar == "*" || scalar == "?" {
                literals.append(String(literal))
                literal = String.UnicodeScalarView()
            } else if scalar == "\\", let escaped = next,
                escaped == "*" || escaped == "?" || escaped == "\\"
            {
                literal.append(escaped)
                next = scalars.next()
            } else {
                literal.append(scalar)
            }
        }
        literals.append(String(literal))
        return literals
    }
}
