import CLibPQ

/// Sends rows to a `COPY … FROM STDIN`, about 64 KiB at a time.
///
/// Valid in the closure that `copyIn` calls with it. Each time the buffer is full it is sent, which
/// waits for the server if that is slower.
public struct CopyWriter: ~Copyable {
    /// A chunk is sent when it has so many bytes.
    static let chunkByteCount = 64 << 10

    private let connection: Connection
    private let handle: OpaquePointer
    /// Why not all rows were sent. Then there can be no good end, whether `body` ignores it or not.
    private var failure: PostgreSQLError?
    /// The row that is being written, after rows that were not sent. `endRow` must follow each row.
    public var text = CopyText()
    /// How many bytes were sent.
    public private(set) var sentByteCount: Int64 = 0
    /// How many rows were ended.
    public private(set) var rowCount: Int64 = 0

    init(_ connection: Connection, _ handle: OpaquePointer) {
        self.connection = connection
        self.handle = handle
    }

    /// Ends the row in `text`, and sends the rows if there are enough.
    ///
    /// - Throws: `.connectionLost`, `.timedOut`, `.cancelled`.
    public mutating func endRow() throws(PostgreSQLError) {
        text.endRow()
        rowCount += 1
        if text.byteCount >= Self.chunkByteCount { try sendRows() }
    }

    /// Writes one row; one whose closure throws is not written, and the next may follow.
    ///
    /// - Throws: what `body` throws, and as `endRow`.
    public mutating func writeRow(_ body: (inout CopyText) throws -> Void) throws {
        let start = text.byteCount
        do {
            try body(&text)
        } catch {
            text.removeRow(from: start)
            throw error
        }
        try endRow()
    }

    /// Sends bytes that are rows already, or parts of rows, in the format of the statement.
    ///
    /// - Throws: as `endRow`.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PostgreSQLError) {
        try sendRows()
        try send(bytes)
        sentByteCount += Int64(bytes.count)
    }

    /// Sends the rows in the buffer.
    ///
    /// - Throws: as `endRow`, and each time again what was thrown before.
    mutating func sendRows() throws(PostgreSQLError) {
        if let failure { throw failure }
        guard text.byteCount > 0 else { return }
        // `withUnsafeBytes` of an array does not say what kind of error its closure throws.
        let outcome = text.bytes.withUnsafeBytes { bytes in
            Result { () throws(PostgreSQLError) in try connection.putCopyData(bytes, handle) }
        }
        try note(outcome)
        sentByteCount += Int64(text.byteCount)
        text.removeAll()
    }

    private mutating func send(_ bytes: UnsafeRawBufferPointer) throws(PostgreSQLError) {
        try note(
            Result { () throws(PostgreSQLError) in try connection.putCopyData(bytes, handle) })
    }

    private mutating func note(
        _ outcome: Result<Void, PostgreSQLError>
    ) throws(PostgreSQLError) {
        if case .failure(let error) = outcome { failure = error }
        try outcome.get()
    }
}
