/// A document that an import would refuse.
public struct BadDocument: Sendable, Hashable, CustomStringConvertible {
    /// The number of the document, from 1.
    public let position: Int
    /// What is wrong with it.
    public let problems: [DocumentProblem]

    /// A document with what is wrong with it.
    public init(position: Int, problems: [DocumentProblem]) {
        self.position = position
        self.problems = problems
    }

    /// "document 3: name: required, and missing; age: long expected, string found".
    public var description: String {
        "document \(position): " + problems.map(\.description).joined(separator: "; ")
    }
}
