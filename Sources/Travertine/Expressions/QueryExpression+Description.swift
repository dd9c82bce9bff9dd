extension QueryExpression: CustomStringConvertible {
    /// The query as text that parses to an equal one: see `Predicate.description`.
    var description: String {
        ([predicate.description] + descriptors.map(\.predicateText)).joined(separator: " ")
    }
}

extension ResultsDescriptor {
    /// The descriptor as a predicate text has it.
    var predicateText: String {
        switch self {
        case .sorted(let orders):
            let texts = orders.map {
                Self.text(ofNames: $0.keyPath) + ($0.ascending ? " ASC" : " DESC")
            }
            return "SORT(\(texts.joined(separator: ", ")))"
        case .distinct(let names):
            return "DISTINCT(\(names.map { Self.text(ofNames: $0) }.joined(separator: ", ")))"
        case .limited(let offset, .max): return "OFFSET(\(offset))"
        case .limited(0, let count): return "LIMIT(\(count))"
        case .limited(let offset, let count): return "LIMIT(\(count) OFFSET \(offset))"
        case .filtered(let predicate): return "FILTER(\(predicate))"
        }
    }

    private static func text(ofNames keyPath: String) -> String {
        PropertyPath(keyPath: keyPath)?.description ?? PredicateWords.written(keyPath)
    }
}
