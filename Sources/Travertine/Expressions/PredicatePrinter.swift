/// Writes predicates as text; the grammar is that of `PredicateParser`.
struct PredicatePrinter {
    /// How many subqueries are around the place that is written; each has its own variable.
    private var subqueryDepth = 0

    private var variable: String { subqueryDepth == 1 ? "$x" : "$x\(subqueryDepth)" }

    // MARK: Conditions

    func text(of predicate: Predicate) -> String {
        switch predicate {
        case .constant(let holds): holds ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let inner): "NOT " + text(ofPart: inner)
        case .and(let parts): parts.map { text(ofPart: $0) }.joined(separator: " AND ")
        case .or(let parts): parts.map { text(ofPart: $0) }.joined(separator: " OR ")
        case .comparison(let comparison): text(of: comparison)
        case .words(let path, let words):
            "\(text(of: path)) TEXT \(PredicateWords.quoted(words.description))"
        case .isWithin(let path, let shape): "\(text(of: path)) GEOWITHIN \(text(of: shape))"
        }
    }

    private func text(ofPart predicate: Predicate) -> String {
        switch predicate {
        case .and, .or: "(\(text(of: predicate)))"
        case .constant, .not, .comparison, .words, .isWithin: text(of: predicate)
        }
    }

    func text(of comparison: Comparison) -> String {
        var options = ""
        if comparison.options.contains(.caseInsensitive) { options += "c" }
        if comparison.options.contains(.diacriticInsensitive) { options += "d" }
        if !options.isEmpty { options = "[\(options)]" }
        let right: String
        switch comparison.right {
        case .constant(.list(let values))
        where comparison.operation == .isIn || comparison.operation == .isBetween:
            right = "list(\(text(of: Array(values))))"
        default: right = text(of: comparison.right)
        }
        return comparison.quantifier.text + text(of: comparison.left) + " "
            + comparison.operation.text + options + " " + right
    }

    // MARK: Operands

    func text(of operand: Operand) -> String {
        switch operand {
        case .constant(let value): value.predicateText
        case .list(let values): "{\(text(of: values))}"
        case .path(let path): text(of: path)
        case .aggregate(let aggregate, let path): "\(text(of: path)).\(aggregate.text)"
        case .subqueryCount(let path, let predicate): text(ofSubquery: path, predicate)
        case .arithmetic(let operation, let left, let right):
            text(ofTerm: left, in: operation, isRight: false) + " \(operation.text) "
                + text(ofTerm: right, in: operation, isRight: true)
        }
    }

    /// An operand of an operation, in parentheses where it would be read otherwise.
    private func text(
        ofTerm operand: Operand, in outer: ArithmeticOperation, isRight: Bool
    ) -> String {
        guard case .arithmetic(let inner, _, _) = operand,
            isRight ? inner.rank <= outer.rank : inner.rank < outer.rank
        else { return text(of: operand) }
        return "(\(text(of: operand)))"
    }

    private func text(ofSubquery path: PropertyPath, _ predicate: Predicate) -> String {
        var inner = self
        inner.subqueryDepth += 1
        return "SUBQUERY(\(text(of: path)), \(inner.variable), \(inner.text(of: predicate))).@count"
    }

    private func text(of values: [AnyRealmValue]) -> String {
        values.map(\.predicateText).joined(separator: ", ")
    }

    // MARK: Paths

    func text(of path: PropertyPath) -> String {
        var text = subqueryDepth > 0 ? variable : ""
        for step in path.steps {
            switch step {
            case .property(let name): text += point(text) + PredicateWords.written(name)
            case .position(let position): text += owner(text) + "[\(position)]"
            case .first: text += owner(text) + "[FIRST]"
            case .last: text += owner(text) + "[LAST]"
            case .each: text += owner(text) + "[*]"
            case .key(let key): text += owner(text) + "[\(PredicateWords.quoted(key))]"
            case .keys: text += point(text) + "@keys"
            case .values: text += point(text) + "@values"
            case .type: text += point(text) + "@type"
            case .links(let type, let property):
                text +=
                    point(text) + "@links.\(PredicateWords.written(type))"
                    + ".\(PredicateWords.written(property))"
            }
        }
        return text.isEmpty ? "SELF" : text
    }

    private func point(_ text: String) -> String { text.isEmpty ? "" : "." }

    private func owner(_ text: String) -> String { text.isEmpty ? "SELF" : "" }

    // MARK: Shapes

    private func text(of shape: ShapeConstant) -> String {
        switch shape {
        case .box(let box): "geoBox(\(text(of: box.bottomLeft)), \(text(of: box.topRight)))"
        case .circle(let circle):
            "geoCircle(\(text(of: circle.center)), \(circle.radians.predicateText))"
        case .polygon(let polygon):
            "geoPolygon("
                + ([polygon.outerRing] + polygon.holes).map { ring in
                    "{\(ring.map { text(of: $0) }.joined(separator: ", "))}"
                }.joined(separator: ", ") + ")"
        case .other(let shape, _): "shape(\(PredicateWords.quoted("\(type(of: shape))")))"
        }
    }

    private func text(of point: GeoPoint) -> String {
        let height = point.altitude == 0 ? "" : ", \(point.altitude.predicateText)"
        return "[\(point.longitude.predicateText), \(point.latitude.predicateText)\(height)]"
    }
}
