extension String {
    /// The text with a tab before every line but the first: a description inside of another.
    var withLinesIndented: String {
        guard utf8.contains(UInt8(ascii: "\n")) else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
    }
}

extension ObjectBase: CustomStringConvertible {
    final func description(depth: Int) -> String {
        if depth > 5 { return "<Maximum depth exceeded>" }
        if isInvalidated { return "\(table.className) (invalidated)" }
        return describe(depth: depth)
    }

    static func text(_ name: String, _ values: [(String, Any?)], depth: Int) -> String {
        var lines = ""
        for (name, value) in values {
            let text = value.map { Self.text($0, depth: depth + 1) } ?? "nil"
            lines += "\t\(name) = \(text.withLinesIndented);\n"
        }
        return "\(name) {\n\(lines)}"
    }

    /// A value inside a description: the depth goes through collections as well, so that cycles
    /// end.
    static func text(_ value: Any, depth: Int) -> String {
        switch value {
        case let object as ObjectBase: object.description(depth: depth)
        case let mixed as AnyRealmValue: mixed.plain.map { text($0, depth: depth) } ?? "none"
        case let collection as any UntypedCollection: collection.description(depth: depth)
        default: "\(value)"
        }
    }
}
