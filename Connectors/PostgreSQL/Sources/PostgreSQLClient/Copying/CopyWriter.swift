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
    /// The row that is being written, after rows that were not sent. `endRow` must follow each row.
    public var text = CopyText()
    /// How many bytes were sent, and how many rows were ended.
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
    }

    /// Sends the rows in the buffer.
    mutating func sendRows() throws(PostgreSQLError) {
        guard text.byteCount > 0 else { return }
        // A closure that throws typed errors does not get through `withUnsafeBytes` of an array.
        let outcome = text.bytes.withUnsafeBytes { bytes in
            Result { () throws(PostgreSQLError) in try connection.putCopyData(bytes, handle) }
        }
        try outcome.get()
        sentByteCount += Int64(text.byteCount)
        text.removeAll()
    }

    private mutating func send(_ bytes: UnsafeRawBufferPointer) throws(PostgreSQLError) {
        try connection.putCopyData(bytes, handle)
        sentByteCount += Int64(bytes.count)
    }
}
