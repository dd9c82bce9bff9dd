/// A condition as texts with arguments, and what combines them: what an `NSPredicate` is made of.
///
/// The module `RealmSwift` makes these, as Foundation's predicates are not linked here.
package indirect enum FormatPredicate {
    /// A text and its arguments.
    case text(String, [Any?])
    /// What always or never holds.
    case constant(Bool)
    /// What holds where another does not.
    case not(FormatPredicate)
    /// What holds where all do.
    case and([FormatPredicate])
    /// What holds where one of them does.
    case or([FormatPredicate])

    /// The query that the texts say together.
    func parsed() throws -> ParsedQuery {
        switch self {
        case .text(let text, let arguments):
            return try ParsedQuery(text, arguments)
        case .constant(let holds):
            let text = holds ? "TRUEPREDICATE" : "FALSEPREDICATE"
            return ParsedQuery(
                expression: QueryExpression(.constant(holds)), text: text, places: [])
        case .not(let inner):
            var parsed = try inner.parsedCondition()
            parsed.expression.predicate = .not(parsed.expression.predicate)
            parsed.wrap("NOT (", ")")
            return parsed
        case .and(let parts):
            return try Self.joined(parts, " AND ") { .all($0) }
        case .or(let parts):
            return try Self.joined(parts, " OR ") { .any($0) }
        }
    }

    /// The query of a part of another, which has a condition only.
    private func parsedCondition() throws -> ParsedQuery {
        let parsed = try parsed()
        guard parsed.expression.descriptors.isEmpty else {
            throw Realm.Error(
                .invalidInput,
                "A predicate that is combined with others can't sort or limit:\n  "
                    + parsed.text.prefix(200))
        }
        return parsed
    }

    /// The texts as one, with the places of all operands in it.
    private static func joined(
        _ parts: [FormatPredicate], _ separator: String, _ combine: ([Predicate]) -> Predicate
    ) throws -> ParsedQuery {
        var text = ""
        var places: [Range<Int>] = []
        var predicates: [Predicate] = []
        for part in parts {
            var parsed = try part.parsedCondition()
            if parts.count > 1 { parsed.wrap("(", ")") }
            if !predicates.isEmpty { text += separator }
            places += parsed.places(movedBy: text.utf8.count)
            text += parsed.text
            predicates.append(parsed.expression.predicate)
        }
        let predicate = combine(predicates)
        return ParsedQuery(
            expression: QueryExpression(predicate),
            text: parts.isEmpty ? predicate.description : text, places: places)
    }
}

extension ParsedQuery {
    /// Puts something before and after the text.
    fileprivate mutating func wrap(_ opening: String, _ closing: String) {
        places = places(movedBy: opening.utf8.count)
        text = opening + text + closing
    }

    fileprivate func places(movedBy distance: Int) -> [Range<Int>] {
        places.map { $0.lowerBound + distance..<$0.upperBound + distance }
    }
}
