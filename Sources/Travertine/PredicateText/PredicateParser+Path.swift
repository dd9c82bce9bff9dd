/// Paths of a predicate text: properties, keys, positions, and aggregates at their end.
extension PredicateParser {
    /// Reads a path, with an aggregate perhaps.
    mutating func parsePath() throws(PredicateTextError) -> PredicateTerm {
        let start = token
        places.append(start.range)
        let number = places.count - 1
        var path = PathReader()
        try parseFirst(of: &path)
        try parseSteps(of: &path)
        let range = start.range.lowerBound..<lastOffset
        places[number] = range
        return PredicateTerm(.operand(path.operand), range)
    }

    /// A path as far as it was read.
    struct PathReader {
        var steps: [PropertyPath.Step] = []
        var aggregate: Aggregate?

        var operand: Operand {
            aggregate.map { .aggregate($0, PropertyPath(steps)) } ?? .path(PropertyPath(steps))
        }
    }

    /// Reads a path without aggregate: what a subquery goes over.
    mutating func parsePlainPath() throws(PredicateTextError) -> PropertyPath {
        let term = try parsePath()
        guard let path = term.path else {
            throw error("Expected a collection, and this is one value made of it.", at: term.range)
        }
        return path
    }

    private mutating func parseFirst(of path: inout PathReader) throws(PredicateTextError) {
        let first = token
        if first.kind == .variable {
            try requireInnermost(first)
            return advance()
        }
        if let variable = variables.last {
            throw error(
                "In a subquery each path begins with its variable: "
                    + "\(variable).\(first.text.prefix(40)).", at: first.range)
        }
        switch first.kind {
        case .collectionOperator: try parseCollectionOperator(of: &path)
        case .name where first.isKeyword("SELF"): advance()
        case .placeholder, .pathArgument: try takePathArgument(of: &path)
        case .name, .escapedName:
            if following.isSymbol("("), first.kind == .name { throw unknownFunction() }
            path.steps.append(.property(first.text))
            advance()
        default: throw expected("a property")
        }
    }

    private func requireInnermost(_ token: PredicateToken) throws(PredicateTextError) {
        if token.text == variables.last { return }
        if variables.contains(token.text) {
            throw error(
                "\(token.text) belongs to a subquery further out: a condition concerns the elements "
                    + "of the subquery that it is in.", at: token.range)
        }
        throw error("No SUBQUERY around it declares \(token.text).", at: token.range)
    }

    // MARK: Steps

    private mutating func parseSteps(of path: inout PathReader) throws(PredicateTextError) {
        while true {
            if take(".") {
                try parseNamedStep(of: &path)
            } else if token.isSymbol("[") {
                try parseSubscript(of: &path)
            } else {
                return
            }
        }
    }

    private mutating func parseNamedStep(of path: inout PathReader) throws(PredicateTextError) {
        if path.aggregate == .count, token.kind != .collectionOperator {
            throw error("@count is the last step of a path.", at: token.range)
        }
        switch token.kind {
        case .name, .escapedName:
            path.steps.append(.property(token.text))
            advance()
        case .placeholder where token.text == "K", .pathArgument:
            try takePathArgument(of: &path)
        case .collectionOperator:
            try parseCollectionOperator(of: &path)
        default:
            throw expected("a property or an operator such as @count after the point")
        }
    }

    private mutating func parseCollectionOperator(
        of path: inout PathReader
    ) throws(PredicateTextError) {
        let start = token
        let word = PredicateWords.keyword(start.text)
        advance()
        if let aggregate = PredicateWords.aggregates[word] {
            if path.aggregate != nil {
                throw error("A path has one aggregate at most.", at: start.range)
            }
            path.aggregate = aggregate
            return
        }
        switch word {
        case "KEYS", "ALLKEYS": path.steps.append(.keys)
        case "VALUES", "ALLVALUES": path.steps.append(.values)
        case "TYPE": path.steps.append(.type)
        case "LINKS":
            let type = try takeLinkName("type")
            let property = try takeLinkName("property")
            path.steps.append(.links(type: type, property: property))
        default:
            let near = NearNames.near("@" + start.text, among: PredicateWords.collectionOperators)
            let advice =
                near.isEmpty
                ? " There are \(PredicateWords.collectionOperators.joined(separator: ", "))."
                : " Did you mean \(near.joined(separator: " or "))?"
            throw error(
                "There is no operator \(start.description)." + advice, at: start.range)
        }
    }

    private mutating func takeLinkName(_ kind: String) throws(PredicateTextError) -> String {
        guard take("."), token.kind == .name || token.kind == .escapedName else {
            throw expected("the \(kind) of @links.Type.property")
        }
        let name = token.text
        advance()
        return name
    }

    private mutating func parseSubscript(of path: inout PathReader) throws(PredicateTextError) {
        let start = token
        advance()
        if path.aggregate == .count {
            throw error("@count is the last step of a path.", at: start.range)
        }
        let isNegative = take("-")
        switch token.kind {
        case .integer:
            guard let position = Int((isNegative ? "-" : "") + token.text) else {
                throw error("The position is too large.", at: token.range)
            }
            path.steps.append(.position(position))
        case .string where !isNegative: path.steps.append(.key(token.text))
        case .symbol where token.text == "*" && !isNegative: path.steps.append(.each)
        case .name where !isNegative: try addNamedPosition(to: &path)
        case .placeholder where !isNegative, .argument where !isNegative:
            path.steps.append(try subscriptArgument())
        default: throw expected("a position, a key in quotes, FIRST, LAST, SIZE or *")
        }
        advance()
        try require("]", "after the position or key")
    }

    private func addNamedPosition(to path: inout PathReader) throws(PredicateTextError) {
        switch PredicateWords.keyword(token.text) {
        case "FIRST": path.steps.append(.first)
        case "LAST": path.steps.append(.last)
        case "SIZE":
            if path.aggregate != nil {
                throw error("A path has one aggregate at most.", at: token.range)
            }
            path.aggregate = .count
        default: throw expected("a position, a key in quotes, FIRST, LAST, SIZE or *")
        }
    }

    // MARK: Arguments

    private mutating func subscriptArgument() throws(PredicateTextError) -> PropertyPath.Step {
        let content: PredicateTerm.Content
        do {
            content = try arguments.content(for: token)
        } catch {
            throw self.error(error.message, at: token.range)
        }
        switch content {
        case .operand(.constant(.string(let key))): return .key(key)
        case .operand(.constant(.int(let position))): return .position(position)
        default:
            throw error("The argument in [ ] is a position or a key.", at: token.range)
        }
    }

    private mutating func takePathArgument(
        of path: inout PathReader
    ) throws(PredicateTextError) {
        let names: String
        do {
            names = try arguments.path(for: token)
        } catch {
            throw self.error(error.message, at: token.range)
        }
        for name in names.split(separator: ".", omittingEmptySubsequences: false) {
            if path.aggregate == .count {
                throw error("@count is the last step of a path.", at: token.range)
            }
            guard name.first == "@" else {
                if !(path.steps.isEmpty && name.uppercased() == "SELF") {
                    path.steps.append(.property(String(name)))
                }
                continue
            }
            switch PredicateWords.keyword(String(name.dropFirst())) {
            case "KEYS", "ALLKEYS": path.steps.append(.keys)
            case "VALUES", "ALLVALUES": path.steps.append(.values)
            case "TYPE": path.steps.append(.type)
            case let word:
                guard let aggregate = PredicateWords.aggregates[word], path.aggregate == nil else {
                    throw error(
                        "The path of the argument, \"\(names.prefix(60))\", has no operator "
                            + "\(name.prefix(40)).", at: token.range)
                }
                path.aggregate = aggregate
            }
        }
        advance()
    }
}
