/// Comparisons of a predicate text, with quantifiers, operators and options.
extension PredicateParser {
    /// Reads `[quantifier] operand operator [options] operand`; without an operator, what was read.
    mutating func parseComparison() throws(PredicateTextError) -> PredicateTerm {
        let start = token
        let quantifier = takeQuantifier()
        let mark = places.count
        let left = try parseOperand()
        guard let comparison = try takeOperation() else {
            if quantifier == nil { return left }
            throw expected("a comparison after \(start.text.uppercased())", after: left)
        }
        let right = try parseOperand()
        let predicate = try make(
            left, comparison, right, quantifier ?? .any, firstPlace: mark)
        return PredicateTerm(.condition(predicate), start.range.lowerBound..<lastOffset)
    }

    private enum Operation {
        case comparison(Comparison.Operation, StringOptions)
        case words
        case isWithin
    }

    private mutating func takeQuantifier() -> Comparison.Quantifier? {
        guard token.kind == .name, !isProperty, !isOperator(following),
            let quantifier = PredicateWords.quantifiers[PredicateWords.keyword(token.text)]
        else { return nil }
        advance()
        return quantifier
    }

    /// Whether a token is a word or symbol that comes after an operand.
    private func isOperator(_ token: PredicateToken) -> Bool {
        switch token.kind {
        case .end: true
        case .symbol: PredicateWords.comparisonSymbols[token.text] != nil
        case .name: PredicateWords.comparisons[PredicateWords.keyword(token.text)] != nil
        default: false
        }
    }

    // MARK: Operators

    private mutating func takeOperation() throws(PredicateTextError) -> Operation? {
        if token.kind == .symbol {
            guard let operation = PredicateWords.comparisonSymbols[token.text] else { return nil }
            advance()
            return .comparison(operation, try takeOptions())
        }
        guard token.kind == .name else { return nil }
        let keyword = PredicateWords.keyword(token.text)
        if let operation = PredicateWords.comparisons[keyword] {
            advance()
            return .comparison(operation, try takeOptions())
        }
        switch keyword {
        case "TEXT":
            advance()
            return .words
        case "GEOWITHIN":
            advance()
            return .isWithin
        case "MATCHES":
            throw error(
                "There are no regular expressions: use LIKE with ? and *, or CONTAINS.",
                at: token.range)
        default: return nil
        }
    }

    /// Reads `[c]`, `[d]` or both.
    private mutating func takeOptions() throws(PredicateTextError) -> StringOptions {
        guard take("[") else { return [] }
        guard token.kind == .name else { throw expected("the options c or d") }
        var options: StringOptions = []
        for letter in token.text.utf8.prefix(3) {
            switch letter | 0x20 {
            case UInt8(ascii: "c"): options.insert(.caseInsensitive)
            case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
            default:
                throw error(
                    "The options of a comparison are c (case) and d (diacritics), not "
                        + "'\(token.text.prefix(40))'.", at: token.range)
            }
        }
        advance()
        try require("]", "after the options")
        return options
    }

    // MARK: Making

    private mutating func make(
        _ left: PredicateTerm, _ operation: Operation, _ right: PredicateTerm,
        _ quantifier: Comparison.Quantifier, firstPlace: Int
    ) throws(PredicateTextError) -> Predicate {
        switch operation {
        case .words:
            guard let path = left.path, quantifier == .any else {
                throw error("TEXT needs a property on its left.", at: left.range)
            }
            guard case .string(let words)? = right.value else {
                throw error("TEXT needs words in quotes on its right.", at: right.range)
            }
            places.removeSubrange((firstPlace + 1)...)
            return .words(path, try fullTextQuery(words, at: right.range))
        case .isWithin:
            guard case .shape(let shape) = right.content else {
                throw error(
                    "GEOWITHIN needs a shape: geoBox, geoCircle, geoPolygon or an argument.",
                    at: right.range)
            }
            return try within(left, shape, quantifier, firstPlace: firstPlace)
        case .comparison(let operation, let options):
            if operation == .isIn, case .shape(let shape) = right.content {
                return try within(left, shape, quantifier, firstPlace: firstPlace)
            }
            if let predicate = try memberwise(
                left, operation, right, quantifier, firstPlace: firstPlace)
            {
                return predicate
            }
            return .comparison(
                Comparison(
                    try operand(left), operation, try rightOperand(right, of: operation),
                    options: options, quantifier: quantifier))
        }
    }

    /// The query that the words of TEXT are; the place of a problem is in the literal, unless that
    /// has escapes or is an argument.
    private func fullTextQuery(
        _ words: String, at place: Range<Int>
    ) throws(PredicateTextError) -> FullTextQuery {
        do throws(FullTextSyntaxError) {
            return FullTextQuery(try FullTextParser.parse(words))
        } catch {
            let start = place.lowerBound + 1
            let isPlain = place.count == words.utf8.count + 2
            throw self.error(
                isPlain
                    ? error.message
                    : PredicateTextError.describe(error.message, at: error.range, in: words),
                at: isPlain
                    ? start + error.range.lowerBound..<start + error.range.upperBound : place)
        }
    }

    private mutating func within(
        _ left: PredicateTerm, _ shape: ShapeConstant, _ quantifier: Comparison.Quantifier,
        firstPlace: Int
    ) throws(PredicateTextError) -> Predicate {
        guard let path = left.path, quantifier == .any else {
            throw error("A shape needs a property on the left.", at: left.range)
        }
        places.removeSubrange((firstPlace + 1)...)
        return .isWithin(path, shape)
    }

    /// The comparison with an embedded object, if one of the terms is one.
    private mutating func memberwise(
        _ left: PredicateTerm, _ operation: Comparison.Operation, _ right: PredicateTerm,
        _ quantifier: Comparison.Quantifier, firstPlace: Int
    ) throws(PredicateTextError) -> Predicate? {
        let (term, object, other): (PredicateTerm, ObjectBase, PredicateTerm)
        switch (left.content, right.content) {
        case (.embedded(let found), _): (term, object, other) = (left, found, right)
        case (_, .embedded(let found)): (term, object, other) = (right, found, left)
        default: return nil
        }
        guard operation == .equal || operation == .notEqual, quantifier != .all,
            let path = other.path
        else {
            throw error(
                "An embedded object can be compared with a property by == and != only.",
                at: term.range)
        }
        let equal: Predicate
        do throws(Realm.Error) {
            equal = try .memberwise(path, equals: object)
        } catch {
            throw self.error(error.message, at: term.range)
        }
        places.removeSubrange(firstPlace...)
        for _ in 0..<equal.operandCount / 2 { places += [other.range, term.range] }
        return (operation == .notEqual) == (quantifier == .none) ? equal : .not(equal)
    }

    /// The operand that a term is.
    func operand(_ term: PredicateTerm) throws(PredicateTextError) -> Operand {
        switch term.content {
        case .operand(let operand): return operand
        case .list(let values): return .constant(.fromArray(values))
        case .condition:
            throw error(
                "Expected a value or a property, but this is a condition: conditions are joined by "
                    + "AND and OR, and not compared.", at: term.range)
        case .shape:
            throw error(
                "A shape is for GEOWITHIN: place GEOWITHIN geoBox([0, 0], [1, 1]).", at: term.range)
        case .embedded:
            throw error(
                "An embedded object can be compared with a property by == and != only.",
                at: term.range)
        }
    }

    private func rightOperand(
        _ term: PredicateTerm, of operation: Comparison.Operation
    ) throws(PredicateTextError) -> Operand {
        guard operation == .isIn || operation == .isBetween else { return try operand(term) }
        switch term.content {
        case .list(let values): return .list(values)
        case .operand(.constant(.list(let values))) where term.isArgument:
            return .list(Array(values))
        case .operand(.constant(let value)) where term.isInParentheses: return .list([value])
        default:
            if operation == .isIn { return try operand(term) }
            throw error("BETWEEN needs two values in braces: {1, 10}.", at: term.range)
        }
    }
}
