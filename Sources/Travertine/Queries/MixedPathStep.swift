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

extension Query where T == AnyRealmValue {
    /// The element of a list in the value; nil where there is none.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        require(position >= 0, "A list has no position \(position): positions begin with 0.")
        return adding(.position(position))
    }

    /// What a dictionary in the value has under a key; nil where there is nothing.
    public subscript(key: String) -> Query<AnyRealmValue> { adding(.key(key)) }

    /// Any element of a list or dictionary in the value: one that matches is enough.
    public var any: Query<AnyRealmValue> { adding(.any) }

    private func adding(_ step: MixedPathStep) -> Query<AnyRealmValue> {
        Query<AnyRealmValue>(.path(path + [step.name]))
    }
}
