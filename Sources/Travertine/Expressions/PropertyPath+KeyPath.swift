/// The texts that sorting and distinct take: `friend.name`, `scores["math"]`, `places[0].x`, and
/// "self" for the element itself. Nothing is escaped in the key between its quotes.
extension PropertyPath {
    /// The path of such a text; nil for a text that is none.
    init?(keyPath text: String) {
        if text == DistinctRows.itself {
            self.init()
        } else if let path = try? KeyPathSteps.checkedPath(of: text) {
            self = path
        } else {
            return nil
        }
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
