/// One element of a parsed XML document.
struct XMLElement: Hashable, Sendable {
    /// The name as written, with its prefix if it has one.
    var name: String
    /// The character data directly inside, without that of children.
    var text = ""
    var children: [XMLElement] = []

    /// The first child of this name.
    subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    /// All children of this name, in order.
    func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
}
