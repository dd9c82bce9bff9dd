/// A rule that something beside the store's own thread of work found broken.
struct BrokenRule: Error {
    /// Which rule, and what was found.
    let message: String

    init(_ message: String) { self.message = message }
}
