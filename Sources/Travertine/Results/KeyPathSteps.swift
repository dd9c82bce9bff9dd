import TravertineStore

/// Splits the text of a key path into steps: properties, which dots separate, and steps in brackets
/// after them.
///
/// ```
/// friend.name          friend  name
/// scores["math"]       scores  ["math"]
/// extra["a.b"][3]      extra   ["a.b"]  [3]
/// ```
/// A key is what is between its quotes, single or double; nothing is escaped in it.
enum KeyPathSteps {
    /// The path; stops for a text that is no key path.
    static func path(of text: String) -> PropertyPath {
        do throws(QueryProblem) {
            return try checkedPath(of: text)
        } catch {
            misuse(error.message)
        }
    }

    /// The path; throws for a text that is no key path.
    static func checkedPath(of text: String) throws(QueryProblem) -> PropertyPath {
        var steps: [PropertyPath.Step] = []
        var rest = text[...]
        while true {
            let name = rest.prefix { $0 != "." && $0 != "[" }
            if name.isEmpty { throw problem(text, "a name of a property is missing") }
            steps.append(.property(String(name)))
            rest = rest.dropFirst(name.count)
            while rest.first == "[" { steps.append(try step(&rest, text)) }
            if rest.isEmpty { return PropertyPath(steps) }
            guard rest.first == "." else { throw problem(text, "after ']' comes '.' or '['") }
            rest = rest.dropFirst()
        }
    }

    /// The step in brackets that the rest of the text begins with.
    private static func step(
        _ rest: inout Substring, _ text: String
    ) throws(QueryProblem) -> PropertyPath.Step {
        rest = rest.dropFirst()
        if let quote = rest.first, quote == "\"" || quote == "'" {
            rest = rest.dropFirst()
            var key = ""
            while let character = rest.first {
                rest = rest.dropFirst()
                if character == quote, rest.first == "]" {
                    rest = rest.dropFirst()
                    return .key(key)
                }
                key.append(character)
            }
            throw problem(text, "the end of a key, \(quote)], is missing")
        }
        let inside = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(inside.count)
        guard rest.popFirst() == "]" else { throw problem(text, "']' is missing") }
        if inside == "*" || inside == "any" { return .each }
        guard let position = Int(inside), position >= 0 else {
            throw problem(text, "in brackets is a position, or a key in quotes, not '\(inside)'")
        }
        return .position(position)
    }

    private static func problem(_ text: String, _ problem: String) -> QueryProblem {
        QueryProblem(
            message: "'\(text)' is not a key path: \(problem). Write it like friend.name or "
                + "scores[\"a\"].")
    }
}
