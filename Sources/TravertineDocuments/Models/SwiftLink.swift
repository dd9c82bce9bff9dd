/// The class that a field links to.
struct SwiftLink: Equatable {
    let className: String
    let isList: Bool
}
