import Travertine

/// A constraint of a schema, prepared for checking.
enum ConstraintRule {
    case itemCount(least: Int?, most: Int?)
    case length(least: Int?, most: Int?)
    case nameCount(least: Int?, most: Int?)
    case bound(Decimal128, isLeast: Bool, isExclusive: Bool)
    case choice([AnyBSON])
    case pattern(PatternMatcher)

    /// The rules of constraints; those that have none here are added to `unchecked`.
    static func rules(
        _ constraints: [DocumentSchema.Constraint], path: [String], _ unchecked: inout [String]
    ) -> [ConstraintRule] {
        var rules: [ConstraintRule] = []
        for constraint in constraints {
            if let rule = rule(constraint, constraints) {
                rules.append(rule)
            } else if !isSilent(constraint, constraints) {
                let place = path.isEmpty ? "" : path.joined(separator: ".") + ": "
                unchecked.append(place + "\"\(constraint.keyword)\"")
            }
        }
        return rules
    }

    /// Whether a constraint says nothing about documents by itself.
    private static func isSilent(
        _ constraint: DocumentSchema.Constraint, _ all: [DocumentSchema.Constraint]
    ) -> Bool {
        switch (constraint.keyword, constraint.value) {
        case ("title", _), ("description", _): true
        case ("additionalProperties", .bool(true)): true
        case ("exclusiveMinimum", .bool): all.contains { $0.keyword == "minimum" }
        case ("exclusiveMaximum", .bool): all.contains { $0.keyword == "maximum" }
        default: false
        }
    }

    private static func rule(
        _ constraint: DocumentSchema.Constraint, _ all: [DocumentSchema.Constraint]
    ) -> ConstraintRule? {
        func count() -> Int? { constraint.value.integer }
        switch constraint.keyword {
        case "minItems": return count().map { .itemCount(least: $0, most: nil) }
        case "maxItems": return count().map { .itemCount(least: nil, most: $0) }
        case "minLength": return count().map { .length(least: $0, most: nil) }
        case "maxLength": return count().map { .length(least: nil, most: $0) }
        case "minProperties": return count().map { .nameCount(least: $0, most: nil) }
        case "maxProperties": return count().map { .nameCount(least: nil, most: $0) }
        case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
            return bound(constraint, all)
        case "enum":
            guard case .array(let values) = constraint.value else { return nil }
            let choices = values.compactMap(\.bson)
            return choices.count == values.count ? .choice(choices) : nil
        case "pattern":
            guard case .string(let text) = constraint.value else { return nil }
            return PatternMatcher(text).map { .pattern($0) }
        default: return nil
        }
    }

    private static func bound(
        _ constraint: DocumentSchema.Constraint, _ all: [DocumentSchema.Constraint]
    ) -> ConstraintRule? {
        guard case .number(let text) = constraint.value, let number = Decimal128(rounding: text)
        else { return nil }
        let isLeast = constraint.keyword.lowercased().hasSuffix("minimum")
        // Older drafts say "exclusiveMinimum": true beside "minimum".
        let flag = DocumentSchema.Constraint(
            isLeast ? "exclusiveMinimum" : "exclusiveMaximum", .bool(true))
        let isExclusive = constraint.keyword.hasPrefix("exclusive") || all.contains(flag)
        return .bound(number, isLeast: isLeast, isExclusive: isExclusive)
    }

    /// What a value, which is of the right type, does against the rule; nil if nothing.
    func problem(_ value: AnyBSON) -> String? {
        switch (self, value) {
        case (.itemCount(let least, let most), .array(let elements)):
            Self.problem(elements.count, "elements", least, most)
        case (.length(let least, let most), .string(let text)):
            Self.problem(text.unicodeScalars.count, "characters", least, most)
        case (.nameCount(let least, let most), .document(let document)):
            Self.problem(document.count, "names", least, most)
        case (.bound(let bound, let isLeast, let isExclusive), _):
            value.number.flatMap {
                Self.problem($0, bound, isLeast: isLeast, isExclusive: isExclusive)
            }
        case (.choice(let choices), _):
            choices.contains { $0.isChoice(value) } ? nil : "none of the values that are allowed"
        case (.pattern(let matcher), .string(let text)): Self.problem(text, matcher)
        default: nil
        }
    }

    private static func problem(_ text: String, _ matcher: PatternMatcher) -> String? {
        let pattern = "\"\(matcher.pattern)\""
        switch matcher.look(in: text) {
        case .found: return nil
        case .notFound: return "does not match \(pattern)"
        case .undecided:
            return "can't be checked: \(pattern) takes too long on this text; write the pattern so "
                + "that it tries fewer ways"
        case .tooMuchMemory:
            return "can't be checked: \(pattern) takes too much memory on this text"
        }
    }

    private static func problem(
        _ count: Int, _ noun: String, _ least: Int?, _ most: Int?
    ) -> String? {
        if let least, count < least { return "\(count) \(noun), fewer than \(least)" }
        if let most, count > most { return "\(count) \(noun), more than \(most)" }
        return nil
    }

    private static func problem(
        _ number: Decimal128, _ bound: Decimal128, isLeast: Bool, isExclusive: Bool
    ) -> String? {
        let isGood =
            number == bound ? !isExclusive : isLeast ? number > bound : number < bound
        if isGood { return nil }
        let relation =
            isLeast
            ? (isExclusive ? "not above" : "below")
            : isExclusive
                ? "not below" : "above"
        return "\(number) is \(relation) \(bound)"
    }
}

extension AnyBSON {
    /// Whether a value is the same to JSON: numbers by what they are, whatever their type, texts
    /// and names by their bytes, names in any order, and all this inside arrays and documents too.
    fileprivate func isChoice(_ other: AnyBSON) -> Bool {
        switch (self, other) {
        case (.string(let text), .string(let otherText)): return text.isName(otherText)
        case (.array(let elements), .array(let others)):
            return elements.count == others.count
                && zip(elements, others).allSatisfy { $0.isChoice($1) }
        case (.document(let document), .document(let others)):
            return document.count == others.count
                && document.allSatisfy { element in
                    others[element.key].map { element.value.isChoice($0) } ?? false
                }
        default: return self == other || (number != nil && number == other.number)
        }
    }

    /// The number of any numeric type.
    fileprivate var number: Decimal128? {
        switch self {
        case .int32(let number): Decimal128(number)
        case .int64(let number): Decimal128(number)
        case .double(let number): Decimal128(number)
        case .decimal128(let number): number
        default: nil
        }
    }
}

extension JSONConstant {
    /// The value that the JSON is when it is read as Extended JSON.
    fileprivate var bson: AnyBSON? { try? AnyBSON(extendedJSON: JSONLayout.text(of: self)) }
}
