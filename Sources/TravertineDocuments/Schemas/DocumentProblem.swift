/// One thing that is wrong with a document, by its schema.
public struct DocumentProblem: Sendable, Hashable, CustomStringConvertible {
    /// Names and positions with points between; empty for the document itself.
    public let path: String
    /// What is wrong.
    public let reason: String

    /// A problem with its place.
    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// "tags.3: …".
    public var description: String { (path.isEmpty ? "the document" : path) + ": " + reason }
}

extension DocumentProblem {
    /// What keeps an object from being a document.
    init(_ error: DocumentError) {
        if case .notEncodable(let reason, let path) = error {
            self.init(path: path, reason: reason)
        } else {
            self.init(path: "", reason: "\(error)")
        }
    }
}
