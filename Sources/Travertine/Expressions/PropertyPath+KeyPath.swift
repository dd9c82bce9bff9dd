/// The texts that sorting and distinct take: `friend.name`, `scores["math"]`, `places[0].x`, and "self"
/// for the element itself. Nothing is escaped in the key between its quotes.
extension PropertyPath {
    /// The path of such a text; nil for a text that is none.
    init?(keyPath text: String) {
        var steps: [Step] = []
        var rest = text[...]
        if text == DistinctRows.itself {
            self.init()
            return
        }
        repeat {
            let name = rest.prefix { $0 != "." && $0 != "[" }
            guard !name.isEmpty else { return nil }
            steps.append(.property(String(name)))
            rest = rest.dropFirst(name.count)
            while rest.first == "[" {
                guard let step = Self.bracketedStep(&rest) else { return nil }
                steps.append(step)
            }
            if rest.isEmpty {
                self.init(steps)
                return
            }
        } while rest.popFirst() == "."
        return nil
    }

    /// Takes the step in brackets that a text begins with.
    private static func bracketedStep(_ rest: inout Substring) -> Step? {
        rest = rest.dropFirst()
        guard let quote = rest.first, quote == "\"" || quote == "'" else {
            let inside = rest.prefix { $0 != "]" }
            rest = rest.dropFirst(inside.count)
            guard rest.popFirst() == "]" else { return nil }
            guard let position = Int(inside), position >= 0 else { return nil }
            return .position(position)
        }
        rest = rest.dropFirst()
        var key = ""
        while let character = rest.popFirst() {
            if character == quote, rest.first == "]" {
                rest = rest.dropFirst()
                return .key(key)
            }
            key.append(character)
        }
        return nil
    }

    /// The path as such a text; nil for one that has none.
    var keyPathText: String? {
        if steps.isEmpty { return DistinctRows.itself }
        var text = ""
        for step in steps {
            switch step {
            case .property(let name): text += (text.isEmpty ? "" : ".") + name
            case .key(let key): text += "[\"\(key)\"]"
            case .position(let position): text += "[\(position)]"
            default: return nil
            }
        }
        return PropertyPath(keyPath: text) == self ? text : nil
    }
}
