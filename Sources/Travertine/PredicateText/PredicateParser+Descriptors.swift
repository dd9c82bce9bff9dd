/// What follows the condition in a predicate text: `SORT`, `DISTINCT` and `LIMIT`.
extension PredicateParser {
    /// Whether `SORT(` or the like is next.
    var isAtDescriptor: Bool {
        token.kind == .name && following.isSymbol("(")
            && PredicateWords.descriptors.contains(PredicateWords.keyword(token.text))
    }

    /// Reads sorting, distinct, limits and conditions after them, in any order and number.
    mutating func parseDescriptors() throws(PredicateTextError) -> [ResultsDescriptor] {
        var descriptors: [ResultsDescriptor] = []
        while isAtDescriptor {
            let word = PredicateWords.keyword(token.text)
            advance()
            try enter(token)
            advance()
            descriptors.append(try parseDescriptor(word))
            try require(")", "at the end of \(word)")
            leave()
        }
        return descriptors
    }

    private mutating func parseDescriptor(
        _ word: String
    ) throws(PredicateTextError) -> ResultsDescriptor {
        switch word {
        case "SORT":
            var orders: [SortDescriptor] = []
            repeat {
                let name = try parseNames()
                let isDescending = takeKeyword("DESC", "DESCENDING")
                if !isDescending { _ = takeKeyword("ASC", "ASCENDING") }
                orders.append(SortDescriptor(keyPath: name, ascending: !isDescending))
            } while take(",")
            return .sorted(orders)
        case "DISTINCT":
            var names: [String] = []
            repeat { names.append(try parseNames()) } while take(",")
            return .distinct(names)
        case "LIMIT":
            let count = try parseCount()
            let offset = takeKeyword("OFFSET") ? try parseCount() : 0
            return .limited(offset: offset, count: count)
        case "OFFSET":
            return .limited(offset: try parseCount(), count: .max)
        default:
            return .filtered(try parseWholeCondition())
        }
    }

    /// Reads a path as sorting takes it: names with points, keys and positions in brackets.
    private mutating func parseNames() throws(PredicateTextError) -> String {
        let term = try parsePath()
        guard let path = term.path, let names = path.keyPathText else {
            throw error(
                "Expected a property, or properties with points, and keys or positions in "
                    + "brackets.", at: term.range)
        }
        return names
    }

    private mutating func parseCount() throws(PredicateTextError) -> Int {
        let mark = places.count
        let term = try parseOperand()
        places.removeSubrange(mark...)
        guard case .int(let count)? = term.value, count >= 0 else {
            throw error("Expected a number of objects.", at: term.range)
        }
        return count
    }
}
