import TravertineStore

/// A step of a path into a list or dictionary in a value of any type.
///
/// Among the names of a path steps are written in brackets, which names of properties never have.
enum MixedPathStep: Equatable {
    case position(Int)
    case key(String)
    /// Any element.
    case any

    /// The step that a name of a path is; nil for a property.
    init?(_ name: String) {
        guard name.hasPrefix("[") else { return nil }
        let inside = name.dropFirst().dropLast()
        if let position = Int(inside) {
            self = .position(position)
        } else if inside.hasPrefix("\"") {
            self = .key(String(inside.dropFirst().dropLast()))
        } else {
            self = .any
        }
    }

    /// The step as a name of a path.
    var name: String {
        switch self {
        case .position(let position): "[\(position)]"
        case .key(let key): "[\"\(key)\"]"
        case .any: "[any]"
        }
    }
}
