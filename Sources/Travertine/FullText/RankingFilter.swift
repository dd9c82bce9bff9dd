import TravertineStore

/// The condition of a full-text query on several properties: each term may be in any of them (W9).
struct RankingFilter {
    private let paths: [PropertyPath]
    private let tokenizers: [FullTextTokenizer]
    private(set) var predicate = Predicate.constant(false)

    init(_ names: [String], _ query: FullTextQuery, _ table: TableState) {
        paths = names.map { PropertyPath(names: [$0]) }
        tokenizers = names.map { name in
            guard let slot = table.slot(named: name), slot < table.properties.count,
                table.properties[slot].type == .string, table.properties[slot].collection == .none
            else {
                misuse(
                    "Full text is ranked by strings of the objects themselves, and '\(name)' of "
                        + "\(table.className) is none.")
            }
            return FullTextTokenizer(of: slot, in: table)
        }
        if paths.count == 1 {
            predicate = .words(paths[0], query)
        } else if let found = condition(query.root) {
            // A text that is nil has no words, also where all of the query is negated.
            let isThere = paths.map { Predicate.compare($0, .notEqual, .none) }
            predicate = .all([found, .any(isThere)])
        }
    }

    /// Nil for what has no words.
    private func condition(_ node: FullTextQuery.Node) -> Predicate? {
        switch node {
        case .term(let term):
            // Words beside each other in one term may be in several properties as well.
            if !term.isPhrase, !tokenizers.contains(where: \.joinsUnits) {
                let pattern = FullTextPattern(FullTextQuery(node), .words)
                guard case .all(let parts)? = pattern.root else { return leaf(node) }
                return .all(
                    parts.compactMap { part in
                        guard case .unit(let unit) = part else { return nil }
                        let word = pattern.units[unit]
                        return leaf(
                            .term(
                                FullTextQuery.Term(
                                    text: String(decoding: word.bytes, as: UTF8.self),
                                    isPrefix: word.isPrefix)))
                    })
            }
            return leaf(node)
        case .near: return leaf(node)
        case .not(let node): return condition(node).map { .not($0) }
        case .all(let parts):
            let parts = parts.compactMap { condition($0) }
            return parts.isEmpty ? nil : .all(parts)
        case .any(let parts):
            let parts = parts.compactMap { condition($0) }
            return parts.isEmpty ? nil : .any(parts)
        }
    }

    /// What one of the properties must have.
    private func leaf(_ node: FullTextQuery.Node) -> Predicate? {
        let query = FullTextQuery(node)
        let hasUnits = tokenizers.contains { FullTextPattern(query, $0).root != nil }
        return hasUnits ? .any(paths.map { .words($0, query) }) : nil
    }
}
