import Travertine
import TravertineDocuments

extension RealmExplorer {
    /// Takes a piece of a file of Extended JSON; with the last one, makes objects of all documents
    /// in one transaction: of all, or of none.
    ///
    /// - Returns: how many objects were made and replaced, and fields that no property has.
    /// - Throws: `RequestFailure` with the line of a document that does not fit.
    func upload(_ request: UploadRequest) throws -> JSON {
        guard isWritable else {
            throw RequestFailure(
                403, "The realm was opened read-only. Start the studio with --write to import.")
        }
        let (received, whole) = try uploads.take(request, at: now())
        guard let whole else { return .object([("received", .number(received))]) }
        return try importDocuments(whole)
    }

    private func importDocuments(_ file: Uploads.Upload) throws -> JSON {
        let type = try type(file.type)
        let importer: DocumentImporter
        do {
            importer = try DocumentImporter(realm, type: type.objectTypeName)
        } catch {
            throw RequestFailure(422, "Nothing can be imported: \(error).")
        }
        var documents = DocumentStream(.extendedJSON, file.bytes)
        try change {
            while try next(&documents, into: importer) {}
            try importer.resolveLinks()
        }
        if importer.insertedCount + importer.replacedCount > 0 { forgetUndo() }
        return .object([
            ("inserted", .number(importer.insertedCount)),
            ("replaced", .number(importer.replacedCount)),
            (
                "unknownFields",
                .array(importer.unknownFields.keys.sorted().prefix(20).map { .string($0) })
            ),
            ("undo", undoHistory.json),
        ])
    }

    private func next(
        _ documents: inout DocumentStream, into importer: DocumentImporter
    ) throws -> Bool {
        do {
            return try documents.next(into: importer)
        } catch let refusal as DocumentRefusal {
            throw RequestFailure(
                422, "Document \(documents.documentCount) does not fit: \(refusal).")
        } catch let error as DocumentError {
            throw RequestFailure(422, "The file is no Extended JSON: \(error).")
        }
    }
}
