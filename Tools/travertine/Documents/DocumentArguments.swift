import TravertineDocuments

/// What `travertine import --documents` is given, with --check or without.
struct DocumentArguments {
    let directory: String
    let origin: InputOrigin
    let type: String?
    let source: String?
    /// The field that is the key of documents without `_id`.
    let key: String?
    let format: DocumentFile.Format?
    let printsJSON: Bool

    /// The collections of the data source, which have the type, and whose links fit.
    func collections() throws -> [DataSource.Collection] {
        let collections = try source.map { try SchemaFiles.collections([$0], key: key) } ?? []
        if let type { _ = try StoredTypes.schema(of: type, in: collections, source) }
        try SchemaFiles.requireLinks(of: collections)
        return collections
    }
}
