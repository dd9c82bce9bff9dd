import Travertine

/// Texts of types.
enum PropertyText {
    /// The type of a property: `string?`, `list<Dog>`.
    static func type(_ property: Property) -> String {
        let single =
            property.type == .object
            ? property.objectClassName ?? "object" : property.type.description
        // A link is optional anyway, and in lists and sets never.
        let element = single + (property.isOptional && property.type != .object ? "?" : "")
        guard let collection = collection(property) else { return element }
        return "\(collection)<\(element)>"
    }

    /// The kind of collection; nil for a single value.
    static func collection(_ property: Property) -> String? {
        property.isArray ? "list" : property.isSet ? "set" : property.isMap ? "map" : nil
    }

    /// A name as predicates take it.
    static func quoted(_ name: String) -> String {
        "#\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Whether results can be sorted by a property.
    static func isSortable(_ property: Property) -> Bool {
        guard collection(property) == nil else { return false }
        switch property.type {
        case .object, .linkingObjects: return false
        default: return true
        }
    }
}
