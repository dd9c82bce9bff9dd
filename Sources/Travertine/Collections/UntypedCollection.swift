/// A stored collection whose elements are read whatever their type.
protocol UntypedCollection: _StoredCollection {
    /// The elements, or the values under their keys.
    var contents: CollectionContents { get }
}

/// What a collection holds, whatever its type.
enum CollectionContents {
    /// The elements of a list or set.
    case values([Any])
    /// The entries of a map.
    case entries([(String, Any)])
}

extension UntypedCollection {
    /// The type and its elements with their positions or keys.
    ///
    /// At most 100 elements, and fewer deeper down: of collections of objects further away only the
    /// count, so that a graph in which everything leads to everything has a description as well.
    func description(depth: Int) -> String {
        let type = "\(type(of: self))"
        if depth > 5 { return "\(type) (<Maximum depth exceeded>)" }
        var limit = 100
        switch Self._collectionType.type {
        case .object where depth > 1: limit = 0
        case .any where depth > 1: limit = max(1, limit >> (3 * (depth - 1)))
        default: break
        }
        var lines: [String] = []
        if limit > 0 {
            switch contents {
            case .values(let values):
                lines = values.prefix(limit).enumerated().map {
                    "\t[\($0)] \(Self.text($1, depth).withLinesIndented)"
                }
            case .entries(let entries):
                lines = entries.prefix(limit).map {
                    "\t[\($0)]: \(Self.text($1, depth).withLinesIndented)"
                }
            }
        }
        if count > limit { lines.append("\t... \(count - limit) more") }
        return "\(type) (\n\(lines.joined(separator: ",\n"))\n)"
    }

    /// An element in a description: a collection is one level deeper than what holds it.
    private static func text(_ element: Any, _ depth: Int) -> String {
        let plain: Any? = (element as? AnyRealmValue)?.plain ?? element
        let isNested = plain is any UntypedCollection
        return ObjectBase.text(element, depth: isNested ? depth + 1 : depth)
    }
}
