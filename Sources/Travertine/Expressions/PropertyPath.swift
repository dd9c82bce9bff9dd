/// The way from an object or value to other values; without steps the object or value itself.
struct PropertyPath: Hashable {
    enum Step: Hashable {
        /// A property, by its public or its stored name.
        case property(String)
        /// The element of a list at a position.
        case position(Int)
        case first
        case last
        /// What a map or dictionary has under a key.
        case key(String)
        /// Each element of a collection.
        case each
        /// The keys of a map or dictionary.
        case keys
        /// The values of a map or dictionary.
        case values
        /// The name of the type of an object, or of a value of any type.
        case type
        /// The objects of a type that link here by one of its properties.
        case links(type: String, property: String)
    }

    var steps: [Step]

    init(_ steps: [Step] = []) { self.steps = steps }

    /// The path of a text like `friend.name`.
    init(names: some Sequence<some StringProtocol>) {
        steps = names.map { .property(String($0)) }
    }

    /// The path with one more step.
    func adding(_ step: Step) -> PropertyPath { PropertyPath(steps + [step]) }

    /// The names of the properties; nil if there are other steps.
    var names: [String]? {
        var names: [String] = []
        for step in steps {
            guard case .property(let name) = step else { return nil }
            names.append(name)
        }
        return names
    }
}
