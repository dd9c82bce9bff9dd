#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Operands of a predicate text: arithmetic, constants, lists, shapes and parentheses.
extension PredicateParser {
    /// Reads a sum; what comes out may also be a list, a shape or a condition in parentheses.
    mutating func parseOperand() throws(PredicateTextError) -> PredicateTerm {
        var sum = try parseProduct()
        while token.isSymbol("+") || token.isSymbol("-") {
            let operation: ArithmeticOperation = token.text == "+" ? .add : .subtract
            advance()
            let next = try parseProduct()
            sum = try combine(sum, operation, next)
        }
        return sum
    }

    private mutating func parseProduct() throws(PredicateTextError) -> PredicateTerm {
        var product = try parseUnary()
        while token.isSymbol("*") || token.isSymbol("/") {
            let operation: ArithmeticOperation = token.text == "*" ? .multiply : .divide
            advance()
            let next = try parseUnary()
            product = try combine(product, operation, next)
        }
        return product
    }

    /// The operation on two terms. Its depth is limited, as each level of the tree takes stack
    /// wherever the tree is walked.
    private func combine(
        _ left: PredicateTerm, _ operation: ArithmeticOperation, _ right: PredicateTerm
    ) throws(PredicateTextError) -> PredicateTerm {
        let range = left.range.lowerBound..<right.range.upperBound
        var term = PredicateTerm(
            .operand(.arithmetic(operation, try operand(left), try operand(right))), range)
        term.depth = max(left.depth, right.depth) + 1
        if term.depth > Self.depthMax { throw tooDeep(right.range) }
        return term
    }

    private mutating func parseUnary() throws(PredicateTextError) -> PredicateTerm {
        let sign = token
        guard sign.isSymbol("-") || sign.isSymbol("+") else { return try parsePrimary() }
        let isNegative = sign.text == "-"
        advance()
        if token.kind == .integer || token.kind == .decimal {
            return try parseNumber(isNegative: isNegative, from: sign.range.lowerBound)
        }
        let mark = places.count
        try enter(sign)
        var term = try parseUnary()
        leave()
        let range = sign.range.lowerBound..<term.range.upperBound
        guard isNegative else { return term }
        if let negative = term.value?.negated {
            term.content = .operand(.constant(negative))
            term.range = range
            return term
        }
        places.insert(sign.range, at: mark)
        let zero = PredicateTerm(.operand(.constant(.int(0))), sign.range)
        return try combine(zero, .subtract, term)
    }

    private mutating func parsePrimary() throws(PredicateTextError) -> PredicateTerm {
        let start = token
        switch start.kind {
        case .integer, .decimal:
            return try parseNumber(isNegative: false, from: start.range.lowerBound)
        case .string:
            return takeConstant(.string(start.text))
        case .timestamp, .calendarDate:
            let date = try date(start)
            return takeConstant(.date(date))
        case .base64:
            guard let data = Data(base64Encoded: start.text) else {
                throw error("This is no data in Base64.", at: start.range)
            }
            return takeConstant(.data(data))
        case .placeholder where start.text != "K", .argument:
            return try takeArgument()
        case .placeholder, .pathArgument, .variable, .escapedName, .collectionOperator:
            return try parsePath()
        case .name:
            return try parseWord()
        case .symbol where start.text == "(":
            return try parseParentheses()
        case .symbol where start.text == "{":
            return try parseBraces()
        case .raw, .symbol, .end:
            throw expected("a value or a property")
        }
    }

    // MARK: Words

    private mutating func parseWord() throws(PredicateTextError) -> PredicateTerm {
        let word = PredicateWords.keyword(token.text)
        switch word {
        case "TRUE", "YES": return takeConstant(.bool(true))
        case "FALSE", "NO": return takeConstant(.bool(false))
        case "NULL", "NIL": return takeConstant(.none)
        case "INFINITY", "INF": return takeConstant(.double(.infinity))
        case "NAN": return takeConstant(.double(.nan))
        case "TRUEPREDICATE", "FALSEPREDICATE":
            let term = PredicateTerm(.condition(.constant(word == "TRUEPREDICATE")), token.range)
            advance()
            return term
        default: break
        }
        if following.isSymbol("("), let term = try parseFunction() { return term }
        if PredicateWords.operators.contains(word), !isProperty {
            // `contains(name, 'a')` is what other languages have.
            if PredicateWords.comparisons[word] != nil, following.isSymbol("(") {
                throw unknownFunction()
            }
            throw expected("a value or a property")
        }
        return try parsePath()
    }

    // MARK: Constants

    /// Reads the next token as a constant.
    mutating func takeConstant(_ value: AnyRealmValue) -> PredicateTerm {
        let range = token.range
        advance()
        return constant(value, range)
    }

    /// A constant, which is the operand with the next number.
    mutating func constant(_ value: AnyRealmValue, _ range: Range<Int>) -> PredicateTerm {
        places.append(range)
        return PredicateTerm(.operand(.constant(value)), range)
    }

    private mutating func parseNumber(
        isNegative: Bool, from start: Int
    ) throws(PredicateTextError) -> PredicateTerm {
        let range = start..<token.range.upperBound
        let sign = isNegative ? "-" : ""
        let value: AnyRealmValue
        if token.kind == .decimal {
            guard let number = Double(sign + token.text), number.isFinite else {
                throw error("The number is too large for a double: use decimal(…).", at: range)
            }
            value = .double(number)
        } else {
            let isHexadecimal = token.text.hasPrefix("0x") || token.text.hasPrefix("0X")
            let number =
                isHexadecimal
                ? Int(sign + token.text.dropFirst(2), radix: 16) : Int(sign + token.text)
            guard let number else {
                throw error(
                    "The integer has more than 64 bits: use decimal(…) or a double such as 1e20.",
                    at: range)
            }
            value = .int(number)
        }
        advance()
        return constant(value, range)
    }

    private mutating func takeArgument() throws(PredicateTextError) -> PredicateTerm {
        let range = token.range
        let content: PredicateTerm.Content
        do {
            content = try arguments.content(for: token)
        } catch {
            throw self.error(error.message, at: range)
        }
        advance()
        places.append(range)
        var term = PredicateTerm(content, range)
        term.isArgument = true
        return term
    }

    // MARK: Parentheses and lists

    private mutating func parseParentheses() throws(PredicateTextError) -> PredicateTerm {
        let (start, mark) = try open()
        defer { leave() }
        if take(")") { return list([], from: start, mark) }
        var term = try parseCondition()
        if token.isSymbol(",") {
            var values = [try element(term)]
            while take(",") { values.append(try parseElement()) }
            try require(")", "after the values")
            return list(values, from: start, mark)
        }
        try require(")", "to close the parenthesis")
        term.range = start.range.lowerBound..<lastOffset
        term.isInParentheses = true
        return term
    }

    private mutating func parseBraces() throws(PredicateTextError) -> PredicateTerm {
        let (start, mark) = try open()
        defer { leave() }
        if token.isSymbol(":") || token.kind == .string && following.isSymbol(":") {
            return try parseDictionary(from: start, mark)
        }
        if take("}") { return list([], from: start, mark) }
        let first = try parseUnary()
        // Braces around an argument that is a list add nothing.
        if first.isArgument, case .list(let values) = first.content, take("}") {
            return list(values, from: start, mark)
        }
        var values = [try element(first)]
        while take(",") { values.append(try parseElement()) }
        try require("}", "after the values")
        return list(values, from: start, mark)
    }

    private mutating func parseDictionary(
        from start: PredicateToken, _ mark: Int
    ) throws(PredicateTextError) -> PredicateTerm {
        var values: [String: AnyRealmValue] = [:]
        if take(":") {
            try require("}", "after the empty dictionary")
        } else {
            repeat {
                guard token.kind == .string else { throw expected("a key in quotes") }
                let key = token.text
                advance()
                try require(":", "after the key")
                values[key] = try parseElement()
            } while take(",")
            try require("}", "after the values")
        }
        places.removeSubrange(mark...)
        return constant(.fromDictionary(values), start.range.lowerBound..<lastOffset)
    }

    /// Reads `list(value, …)`: a list as one value, also on the right of `IN`.
    mutating func parseList() throws(PredicateTextError) -> PredicateTerm {
        let (start, mark) = try open()
        defer { leave() }
        advance()
        var values: [AnyRealmValue] = []
        if !token.isSymbol(")") {
            repeat { values.append(try parseElement()) } while take(",")
        }
        try require(")", "after the values")
        places.removeSubrange(mark...)
        return constant(.fromArray(values), start.range.lowerBound..<lastOffset)
    }

    private mutating func list(
        _ values: [AnyRealmValue], from start: PredicateToken, _ mark: Int
    ) -> PredicateTerm {
        places.removeSubrange(mark...)
        let range = start.range.lowerBound..<lastOffset
        places.append(range)
        return PredicateTerm(.list(values), range)
    }

    private mutating func parseElement() throws(PredicateTextError) -> AnyRealmValue {
        let term = try parseUnary()
        return try element(term)
    }

    private func element(_ term: PredicateTerm) throws(PredicateTextError) -> AnyRealmValue {
        if let value = term.value { return value }
        let name = term.path?.names?.joined(separator: ".")
        throw error(
            "Only values can be in a list."
                + (name.map { PredicateHints.quotes(around: $0) } ?? ""), at: term.range)
    }
}

extension AnyRealmValue {
    /// The number with the other sign; nil for what is no number, and for the least integer.
    fileprivate var negated: AnyRealmValue? {
        switch self {
        case .int(let value) where value != .min: .int(-value)
        case .float(let value): .float(-value)
        case .double(let value): .double(-value)
        case .decimal128(let value): .decimal128(-value)
        default: nil
        }
    }
}
