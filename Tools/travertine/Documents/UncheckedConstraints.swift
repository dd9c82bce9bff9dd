import TravertineDocuments

/// The constraints of a schema that documents are not checked against.
enum UncheckedConstraints {
    /// Returns them, each with its place, and prints them.
    static func report(_ schema: DocumentSchema?, toStandardError isPrinted: Bool) -> [String] {
        let unchecked = schema.map { DocumentValidator($0).unchecked } ?? []
        if isPrinted, !unchecked.isEmpty {
            printWarning(
                "not checked of the schema: " + unchecked.joined(separator: "; "))
        }
        return unchecked
    }
}
