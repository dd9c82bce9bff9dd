/// What the parser has read of a condition: a part of it, whose use is not known before what
/// follows.
///
/// A parenthesis may begin a condition or an operand. The parser reads either as a term and looks
/// at what it is where it is used, so that it never reads anything twice.
struct PredicateTerm {
    enum Content {
        case condition(Predicate)
        case operand(Operand)
        /// Values in braces or parentheses, or the elements of an argument.
        case list([AnyRealmValue])
        case shape(ShapeConstant)
        /// An embedded object, which is compared by its properties.
        case embedded(ObjectBase)
    }

    var content: Content
    /// Where it is: offsets of UTF-8 bytes.
    var range: Range<Int>
    /// How many operations are in each other.
    var depth = 0
    var isInParentheses = false
    /// Whether it is an argument and not written out.
    var isArgument = false

    init(_ content: Content, _ range: Range<Int>) {
        self.content = content
        self.range = range
    }

    /// The value, if it is one.
    var value: AnyRealmValue? {
        switch content {
        case .operand(.constant(let value)): value
        case .list(let values): .fromArray(values)
        case .operand, .condition, .shape, .embedded: nil
        }
    }

    /// The path, if it is one without aggregate.
    var path: PropertyPath? {
        if case .operand(.path(let path)) = content { path } else { nil }
    }
}
