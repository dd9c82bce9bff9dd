#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is wrong with a data source.
public enum DataSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A file or directory cannot be read.
    case unreadable(String, String)
    /// A file cannot be written.
    case unwritable(String, String)
    /// A file is no schema, or says no relationships.
    case invalid(String, DocumentError)
    /// Two schemas have one title.
    case duplicateTitle(String, String, String)
    /// Types have no key that is stored as `_id`.
    case missingKeys([String])
    /// The place of a new schema has that of another type: the titles of both, and the file.
    case otherTitle(String, String, String)
    /// A database or a collection can't have a name: the name, and the type that would be in it.
    case unusableName(String, String)
    /// Changes would make documents that exist invalid.
    case breakingChanges([String])
    /// Relationships say what schemas do not have.
    case badLinks([DataSource.LinkProblem])

    /// What is wrong, with the files.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        case .invalid(let path, let error): "\(path): \(error)"
        case .duplicateTitle(let title, let first, let second):
            "the title \"\(title)\" is in \(first) and in \(second); it must be in one only"
        case .missingKeys(let titles):
            "types mapped to documents need a key stored as \"_id\"; without one are "
                + titles.joined(separator: ", ")
        case .otherTitle(let title, let other, let path):
            "the schema of \"\(title)\" would be \(path), which holds that of \"\(other)\"; create "
                + "it in another database, or give its title to a schema elsewhere"
        case .unusableName(let name, let title):
            "the schema of \"\(title)\" can't be in a database or a collection called \"\(name)\", "
                + "as each is one directory"
        case .badLinks(let problems):
            "relationships do not fit the schemas:\n"
                + problems.map { "  \($0)" }.joined(separator: "\n")
        case .breakingChanges(let lines):
            "documents that exist would not fit any more:\n"
                + lines.map { "  " + $0 }.joined(separator: "\n")
        }
    }
}

extension DataSourceError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
