import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why a document made no object.
public struct DocumentRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, by place in the document.
    public let problems: [DocumentProblem]

    init(_ problems: [DocumentProblem]) { self.problems = problems }

    /// What keeps a whole object from being stored.
    init(_ error: Realm.Error) {
        // A reason is a part of a sentence, and a message a whole one.
        let message = error.message
        let reason = message.hasSuffix(".") ? String(message.dropLast()) : message
        problems = [DocumentProblem(path: "", reason: reason)]
    }

    /// "age: long expected, string found; name: required, and missing".
    public var description: String { problems.map(\.description).joined(separator: "; ") }
}

extension DocumentRefusal: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
