import Foundation
import TravertineDocuments

/// A file of documents, or the rows of a query, read piece by piece.
final class DocumentFile {
    private static let pieceByteCount = 256 << 10

    /// The documents.
    var stream: DocumentStream
    /// The size of the file, if it has one.
    let totalByteCount: UInt64?
    private let rows: RefusedRows?

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
        guard case .query = origin else {
            rows = nil
            stream = DocumentStream(isBSON ? .bson : .extendedJSON) {
                try source.read(upTo: Self.pieceByteCount)
            }
            return
        }
        let rows = RefusedRows(LineReader(source))
        self.rows = rows
        stream = DocumentStream(.extendedJSON) { try rows.nextPiece() }
    }

    /// Why the document that was read last can't be used, after an error of the stream.
    func reason(_ error: DocumentError) -> String {
        rows?.reasons.removeValue(forKey: stream.documentCount) ?? "\(error)"
    }
}

/// Rows of a query, some of which are no documents.
private final class RefusedRows {
    private var lines: LineReader
    /// The reasons by the positions of the rows, until they are asked for.
    var reasons: [Int: String] = [:]

    /// No document, whose end the stream finds, as it is brackets that match on one line.
    private static let placeholder = Array("{0}".utf8)

    init(_ lines: LineReader) { self.lines = lines }

    /// The next row, as a stream of documents takes it; empty at the end.
    func nextPiece() throws -> [UInt8] {
        guard let line = try lines.next() else { return [] }
        guard let reason = ServerQuery.refusal(in: line) else { return line + [0x0a] }
        reasons[lines.lineNumber] = reason
        return Self.placeholder + [0x0a]
    }
}
