import TravertineDocuments

/// The constraints of a schema that documents are not checked against.
enum UncheckedConstraints {
    /// Gives them, each with its place, and tells them.
    static func tell(_ schema: DocumentSchema?, toStandardError isTold: Bool) -> [String] {
        let unchecked = schema.map { DocumentValidator($0).unchecked } ?? []
        if isTold, !unchecked.isEmpty {
            printToStandardError(
                "not checked of the schema: " + unchecked.joined(separator: "; "))
        }
        return unchecked
    }
}
