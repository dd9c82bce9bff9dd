#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why schemas have no classes, and no object types.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One thing that no class can have.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The file in its data source, "Pets/dogs/schema.json"; nil for a schema that is in none.
        public fileprivate(set) var file: String?
        /// The title of the object type.
        public let title: String
        /// The field by its stored name, with points on the way through embedded types; nil for the
        /// type itself.
        public let field: String?
        /// What is wrong with it, and what to do.
        public let reason: String

        /// "Dog.owner links to …".
        public var description: String {
            "\(Self.name(title))\(field.map { "." + Self.path($0) } ?? "") \(reason)"
        }

        private static func path(_ field: String) -> String {
            field.split(separator: ".", omittingEmptySubsequences: false)
                .map { name(String($0)) }.joined(separator: ".")
        }

        /// A name, in quotes where it would not be seen.
        private static func name(_ name: String) -> String {
            name.allSatisfy(\.isWhitespace) ? "\"\(name)\"" : name
        }
    }

    /// Everything that is wrong, in the order of the schemas.
    public private(set) var problems: [Problem]

    init(_ problems: [Problem]) { self.problems = problems }

    init(_ title: String?, _ field: String, _ reason: String) {
        problems = [Problem(file: nil, title: title ?? "", field: field, reason: reason)]
    }

    /// The same, found in the schema of a collection.
    func inFile(of collection: DataSource.Collection) -> ModelError {
        var error = self
        for place in error.problems.indices { error.problems[place].file = collection.file }
        return error
    }

    /// A line for each problem, with its file.
    public var description: String {
        problems.map { ($0.file.map { $0 + ": " } ?? "") + $0.description }
            .joined(separator: "\n")
    }
}

extension DataSource.Collection {
    /// The file of the schema, in its data source; nil for a schema that is in none.
    var file: String? { database.isEmpty ? nil : "\(database)/\(name)/schema.json" }
}

extension ModelError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
