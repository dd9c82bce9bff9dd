import Foundation
import TravertineDocuments

/// A file of documents, or the rows of a query, read piece by piece.
final class DocumentFile {
    private static let pieceByteCount = 256 << 10

    /// The documents.
    var stream: DocumentStream
    /// The size of the file, if it has one.
    let totalByteCount: UInt64?

    /// How documents are written; those of a file by its name, unless a format is named.
    enum Format {
        case json
        case bson
    }

    init(_ origin: InputOrigin, format: Format?, until interruption: Interruption? = nil) throws {
        let source = try origin.open(rowsAs: .documents, until: interruption)
        totalByteCount = source.byteCount
        let isBSON =
            switch (format, origin) {
            case (let format?, _): format == .bson
            case (nil, .file(let path)): Compression.contentExtension(of: path) == "bson"
            case (nil, .query): false
            }
        stream = DocumentStream(isBSON ? .bson : .extendedJSON) {
            try source.read(upTo: Self.pieceByteCount)
        }
    }
}
