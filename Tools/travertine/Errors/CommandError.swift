/// An error of the command itself, with what to do next and the status to end with.
struct CommandError: Error, CustomStringConvertible {
    let status: Int32
    let description: String

    init(_ status: Int32, _ description: String) {
        self.status = status
        self.description = description
    }
}

extension String {
    /// The text as a sentence: with one full stop, whether or not it has one.
    var asSentence: String { hasSuffix(".") ? self : self + "." }

    /// The text as a part of a sentence that goes on: without a full stop at its end.
    var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}
