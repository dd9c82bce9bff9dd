import Travertine
import TravertineDocuments

/// A piece of a file that is imported, in the order of the file.
struct UploadRequest: Decodable, Sendable {
    var type: String
    /// Chosen by the page for a file: a piece of another file begins a new one.
    var file: String
    /// The bytes before the piece, so that none is missing and none comes twice.
    var offset: Int
    var text: String
    /// Whether the file ends with it.
    var isLast: Bool
}

/// A file that is collected, to be imported as a whole.
struct Upload {
    let file: String
    let type: String
    var bytes: [UInt8] = []

    static let byteCount = 64 << 20
}

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
        if request.offset == 0 { upload = Upload(file: request.file, type: request.type) }
        guard var file = upload, file.file == request.file, file.type == request.type,
            file.bytes.count == request.offset
        else {
            throw RequestFailure(
                409, "Another file was begun in the meantime. Import this one again.")
        }
        // The array is changed where it is.
        upload = nil
        guard file.bytes.count + request.text.utf8.count <= Upload.byteCount else {
            throw RequestFailure(
                413,
                "A file may have \(Upload.byteCount >> 20) MiB here. Import a larger one with "
                    + "“travertine import”.")
        }
        file.bytes += request.text.utf8
        guard request.isLast else {
            upload = file
            return .object([("received", .number(file.bytes.count))])
        }
        return try importDocuments(file)
    }

    private func importDocuments(_ file: Upload) throws -> JSON {
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
