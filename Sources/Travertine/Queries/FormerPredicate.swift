/// A condition on objects, by the names of properties.
indirect enum FormerPredicate {
    /// How two values are compared.
    enum Comparison {
        case equal
        case notEqual
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    /// How a text is looked for.
    enum TextComparison {
        case equals
        case contains
        case starts
        case ends
        case like
    }

    case constant(Bool)
    case not(FormerPredicate)
    case and(FormerPredicate, FormerPredicate)
    case or(FormerPredicate, FormerPredicate)
    case compare([String], Comparison, AnyRealmValue)
    case compareProperties([String], Comparison, [String])
    case isIn([String], [AnyRealmValue])
    case text([String], TextComparison, String, StringOptions)
    /// Every word of a text occurs.
    case words([String], String)
    /// A stored point lies in a shape.
    case isWithin([String], any GeoShape)
    /// The number of elements of a collection.
    case count([String], Comparison, Int)
}
