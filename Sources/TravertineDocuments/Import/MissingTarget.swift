/// A target that a required link needs.
struct MissingTarget {
    let target: LinkTarget
    /// The property that links to it.
    let path: String

    init(_ target: LinkTarget, path: String) {
        self.target = target
        self.path = path
    }
}
