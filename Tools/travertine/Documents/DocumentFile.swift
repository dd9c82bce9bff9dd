import Foundation
import TravertineDocuments

/// A file of documents that is read piece by piece; “-” is standard input.
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

    init(_ path: String, format: Format?, until interruption: Interruption? = nil) throws {
        let source = try InputSource(path: path, until: interruption)
        totalByteCount = source.byteCount
        let isBSON =
            format.map { $0 == .bson }
            ?? (Compression.contentExtension(of: path) == "bson")
        stream = DocumentStream(isBSON ? .bson : .extendedJSON) {
            try source.read(upTo: Self.pieceByteCount)
        }
    }
}
