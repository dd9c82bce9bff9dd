import Travertine
import TravertineDocuments

/// How an object differs: between two stores, or before and after an edit.
struct ObjectDifference {
    typealias Kind = DocumentChanges.Change.Kind

    /// A property whose values differ.
    struct Value {
        let name: String
        let old: AnyBSON
        let new: AnyBSON
    }

    let type: String
    let key: AnyBSON
    let kind: Kind
    /// The properties that differ; none unless the object is modified.
    let values: [Value]

    /// - Parameters:
    ///   - old: the object as it was, or as the first store has it; nil if it is not there.
    ///   - new: the object as it is, or as the second store has it; nil if it is not there.
    /// - Returns: nil if they are the same in the properties that both have.
    init?(type: String, key: AnyBSON, old: Document?, new: Document?) {
        self.type = type
        self.key = key
        guard let old, let new else {
            if old == nil, new == nil { return nil }
            kind = old == nil ? .inserted : .deleted
            values = []
            return
        }
        kind = .modified
        values = old.compactMap { element in
            guard let value = new[element.key], !element.value.isSame(as: value) else { return nil }
            return Value(name: element.key, old: element.value, new: value)
        }
        if values.isEmpty { return nil }
    }

    /// The difference as lines for people.
    ///
    /// - Parameter schema: the type, which says how links are shown.
    func lines(_ text: ObjectText, _ schema: ObjectSchema?, _ style: Style) -> [String] {
        let name = "\(type) \(CellText.shown(key))"
        switch kind {
        case .inserted: return [style.green("+ \(name)")]
        case .deleted: return [style.red("- \(name)")]
        case .modified:
            return ["~ \(name)"]
                + values.map { value in
                    let property = schema?[value.name]
                    return "    \(ByteText.shown(Array(value.name.utf8), isHex: false)): "
                        + style.red(text.text(value.old, property)) + " → "
                        + style.green(text.text(value.new, property))
                }
        }
    }

    /// The difference as one line of Extended JSON.
    func json() throws -> String {
        var document: Document = [
            "type": .string(type), "change": .string(kind.rawValue), "key": key,
        ]
        if kind == .modified {
            document["properties"] = .document(
                Document(
                    values.map { ($0.name, .document(["old": $0.old, "new": $0.new])) }))
        }
        return try document.extendedJSON()
    }
}

extension AnyBSON {
    /// Whether both are the same value: also two that are no numbers, which are not equal.
    func isSame(as other: AnyBSON) -> Bool {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            left == right || left.isNaN && right.isNaN
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.document(let left), .document(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy {
                    $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isSame(as: $1.value)
                }
        // Not by canonical equivalence, as Swift compares: other bytes are another value.
        case (.string(let left), .string(let right)), (.symbol(let left), .symbol(let right)):
            left.utf8.elementsEqual(right.utf8)
        default: self == other
        }
    }
}
