/// Reads a predicate text: the grammar of `NSPredicate(format:)`, and what Realm's query language
/// has beyond it.
///
/// ```
/// query       [condition] descriptor*
/// descriptor  SORT(path [ASC | DESC], …) | DISTINCT(path, …)
///             | LIMIT(n [OFFSET n]) | OFFSET(n) | FILTER(condition)
/// condition   and (OR and)*                      also ||
/// and         not (AND not)*                     also &&
/// not         NOT not | comparison               also !
/// comparison  [ANY | SOME | ALL | NONE] sum operator [options] sum
///             | sum TEXT string | sum GEOWITHIN shape
///             | TRUEPREDICATE | FALSEPREDICATE | (condition)
/// operator    == = != <> < <= =< > >= =>
///             | IN | BETWEEN | CONTAINS | BEGINSWITH | ENDSWITH | LIKE
/// options     [c] | [d] | [cd]
/// sum         product ((+ | -) product)*
/// product     unary ((* | /) unary)*
/// unary       (- | +) unary | operand
/// operand     constant | argument | path | list | function | (sum)
/// list        {value, …} | (value, …) | {string: value, …}
/// path        first step*                        first: name | SELF | $variable | %K | @operator
/// step        .name | .%K | .@operator | [n] | ["key"] | [FIRST] | [LAST] | [*] | [SIZE]
/// function    SUBQUERY(path, $x, condition).@count | uuid(…) | oid(…) | decimal(…) | float(…)
///             | date(…) | list(value, …) | CAST(value, type) | geoBox(…) | geoCircle(…)
///             | geoPolygon(…)
/// ```
/// Words are read in capital and small letters. Each token is looked at a fixed number of times, so
/// that the time is linear in the length of the text, whatever the text.
struct PredicateParser {
    let text: String
    private let tokens: [PredicateToken]
    private var position = 0
    private var depth = 0
    var arguments: PredicateArguments
    /// The places of the operands that were read, by their numbers.
    var places: [Range<Int>] = []
    /// The variables of the subqueries around the place that is read, the innermost one last.
    var variables: [String] = []

    /// How deeply parentheses, negations, lists, subqueries and operations may be in each other.
    static let depthMax = 200

    /// A query that a text and its arguments say.
    static func parse(
        _ text: String, _ arguments: [Any?]
    ) throws(PredicateTextError) -> ParsedQuery {
        var parser = PredicateParser(text, try PredicateLexer.tokens(of: text), arguments)
        let expression = try parser.parseQuery()
        return ParsedQuery(expression: expression, text: text, places: parser.places)
    }

    private init(
        _ text: String, _ tokens: [PredicateToken], _ arguments: [Any?]
    ) {
        self.text = text
        self.tokens = tokens
        let placeholderCount = tokens.count {
            $0.kind == .placeholder || $0.kind == .argument || $0.kind == .pathArgument
        }
        self.arguments = PredicateArguments(
            arguments, placeholderCount: placeholderCount,
            hasNumbers: tokens.contains { $0.kind == .argument })
    }

    private mutating func parseQuery() throws(PredicateTextError) -> QueryExpression {
        let predicate = isAtDescriptor ? .constant(true) : try parseWholeCondition()
        let descriptors = try parseDescriptors()
        guard token.kind == .end else {
            throw descriptors.isEmpty ? expectedEndOfCondition : expected("the end")
        }
        if let message = arguments.messageForUnused {
            throw error(
                message + PredicateHints.quotedPlaceholder(in: text), at: token.range)
        }
        return QueryExpression(predicate, descriptors)
    }

    // MARK: Conditions

    /// Reads a condition that ends where something else must follow.
    mutating func parseWholeCondition() throws(PredicateTextError) -> Predicate {
        let term = try parseCondition()
        return try condition(term)
    }

    /// Reads alternatives; what comes out is a condition, or an operand that stands alone.
    mutating func parseCondition() throws(PredicateTextError) -> PredicateTerm {
        let first = try parseConjunction()
        guard isAt("||", "OR") else { return first }
        var parts = [try condition(first)]
        while take("||", "OR") {
            let next = try parseConjunction()
            parts.append(try condition(next))
        }
        return PredicateTerm(.condition(.any(parts)), first.range.lowerBound..<lastOffset)
    }

    private mutating func parseConjunction() throws(PredicateTextError) -> PredicateTerm {
        let first = try parseNegation()
        guard isAt("&&", "AND") else { return first }
        var parts = [try condition(first)]
        while take("&&", "AND") {
            let next = try parseNegation()
            parts.append(try condition(next))
        }
        return PredicateTerm(.condition(.all(parts)), first.range.lowerBound..<lastOffset)
    }

    private mutating func parseNegation() throws(PredicateTextError) -> PredicateTerm {
        let start = token
        guard isAt("!", "NOT"), !isProperty else { return try parseComparison() }
        advance()
        try enter(start)
        let inner = try parseNegation()
        leave()
        let predicate = try condition(inner)
        return PredicateTerm(.condition(.not(predicate)), start.range.lowerBound..<lastOffset)
    }

    /// The condition that a term is.
    func condition(_ term: PredicateTerm) throws(PredicateTextError) -> Predicate {
        if case .condition(let predicate) = term.content { return predicate }
        var error = expected("a comparison such as ==, <, IN or CONTAINS", after: term)
        if let path = term.path, endsCondition { error.message += PredicateHints.condition(path) }
        throw error
    }

    /// Whether what is next can follow a condition.
    private var endsCondition: Bool {
        token.kind == .end || isAt(")") || isAt("&&", "AND") || isAt("||", "OR") || isAtDescriptor
    }

    // MARK: Tokens

    /// The token that is read next.
    var token: PredicateToken { tokens[position] }

    /// The token after the next one.
    var following: PredicateToken { tokens[min(position + 1, tokens.count - 1)] }

    /// The token after that.
    var thirdToken: PredicateToken { tokens[min(position + 2, tokens.count - 1)] }

    /// Where the token before ends.
    var lastOffset: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    /// Reads a symbol or its word if it is next.
    mutating func take(_ symbol: String, _ keyword: String? = nil) -> Bool {
        guard isAt(symbol, keyword) else { return false }
        advance()
        return true
    }

    mutating func takeKeyword(_ keywords: String...) -> Bool {
        guard keywords.contains(where: { token.isKeyword($0) }) else { return false }
        advance()
        return true
    }

    func isAt(_ symbol: String, _ keyword: String? = nil) -> Bool {
        token.isSymbol(symbol) || keyword.map { token.isKeyword($0) } ?? false
    }

    /// Reads a symbol that must be next.
    mutating func require(_ symbol: String, _ place: String) throws(PredicateTextError) {
        if !take(symbol) { throw expected("'\(symbol)' \(place)") }
    }

    /// Whether the next word is a property, although it is reserved, by what follows it.
    var isProperty: Bool {
        // `text CONTAINS 'x'` and `text TEXT 'x'`: TEXT is between operands only.
        if token.isKeyword("TEXT"), following.kind == .name {
            let next = PredicateWords.keyword(following.text)
            return next == "TEXT" || PredicateWords.comparisons[next] != nil
        }
        guard token.kind == .name, following.kind == .symbol else { return false }
        return following.text == "." || following.text == "["
            || PredicateWords.comparisonSymbols[following.text] != nil
    }

    // MARK: Depth

    /// Counts a parenthesis, a negation, a list or a subquery, which `leave` ends. On a thread with
    /// a small stack fewer may be in each other.
    mutating func enter(_ start: PredicateToken) throws(PredicateTextError) {
        depth += 1
        if depth > Self.depthMax || PendingFillings.areNeeded { throw tooDeep(start.range) }
    }

    mutating func leave() { depth -= 1 }

    /// Goes on after the parenthesis, brace or name that begins here, and counts what it opens.
    ///
    /// - Returns: where it begins, and the number of places before it.
    mutating func open() throws(PredicateTextError) -> (start: PredicateToken, mark: Int) {
        let start = token
        advance()
        try enter(start)
        return (start, places.count)
    }

    func tooDeep(_ range: Range<Int>) -> PredicateTextError {
        error(
            "The predicate is nested too deeply, at most \(Self.depthMax) levels: make it flatter.",
            at: range)
    }

    // MARK: Errors

    func error(_ message: String, at range: Range<Int>) -> PredicateTextError {
        PredicateTextError(message: message, range: range, text: text)
    }

    /// The error that a condition does not end here. After a name, what follows may be the rest of
    /// a text without quotes.
    private var expectedEndOfCondition: PredicateTextError {
        var error = expected("AND, OR or the end")
        let last = tokens[max(position - 1, 0)]
        if token.kind == .name, last.kind == .name, position > 1,
            PredicateWords.advice(on: token.text).isEmpty
        {
            error.message += PredicateHints.quotes(around: last.text + " " + token.text)
        }
        return error
    }

    /// The error that something else is next, with keywords that are like it.
    func expected(_ what: String, after term: PredicateTerm? = nil) -> PredicateTextError {
        var place = ""
        if let term {
            let bytes = Array(text.utf8)[term.range]
            if bytes.count <= 40 { place = " after \(String(decoding: bytes, as: UTF8.self))" }
        }
        var message = "Expected \(what)\(place), but found \(token.description)."
        if token.kind == .name { message += PredicateWords.advice(on: token.text) }
        return error(message, at: token.range)
    }
}
