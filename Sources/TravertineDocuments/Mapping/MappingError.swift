#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why object types have no documents.
public enum MappingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Properties link to types that are not there.
    case unknownTargets([String])
    /// Properties link to types without primary key, so that nothing can represent the objects.
    case keylessTargets([String])
    /// An embedded type can hold itself.
    case embeddedCycle(String)

    /// What is wrong, with types and properties by their stored names.
    public var description: String {
        switch self {
        case .unknownTargets(let paths):
            "links lead to types that are not there: " + paths.joined(separator: ", ")
        case .keylessTargets(let paths):
            "in documents a link is the key of its target; links to types without primary key are "
                + paths.joined(separator: ", ")
        case .embeddedCycle(let title):
            "the embedded type \"\(title)\" holds itself; documents would have no end"
        }
    }
}

extension MappingError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
