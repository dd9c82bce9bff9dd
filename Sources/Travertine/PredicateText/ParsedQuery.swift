/// A query with the text that it was read from.
struct ParsedQuery {
    var expression: QueryExpression
    var text: String
    /// Where the operands are in the text, by their numbers: offsets of UTF-8 bytes.
    var places: [Range<Int>]

    init(expression: QueryExpression, text: String, places: [Range<Int>]) {
        assert(places.count == expression.operandCount)
        self.expression = expression
        self.text = text
        self.places = places
    }

    /// The query that a text and its arguments say.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message has the place in the text.
    init(_ text: String, _ arguments: [Any?]) throws {
        do {
            self = try PredicateParser.parse(text, arguments)
        } catch {
            throw Realm.Error(.invalidInput, error.description)
        }
    }

    /// The problems as messages, each with the line of the text and a caret under its place.
    func message(for problems: [QueryProblem]) -> String {
        problems.map { problem in
            guard let operand = problem.operand, places.indices.contains(operand) else {
                return "\(problem.message)\n  \(text.prefix(200))"
            }
            return PredicateTextError.describe(problem.message, at: places[operand], in: text)
        }.joined(separator: "\n")
    }
}
