/// Something that gives the records of a file one after the other.
protocol RecordReader {
    /// Bytes consumed so far, and bytes there are, if that is known.
    var byteCount: UInt64 { get }
    var totalByteCount: UInt64? { get }
    /// What the numbers of records count: lines, or elements.
    var unit: String { get }

    /// The next record, or why it can't be used; nil at the end of the file. After an invalid
    /// record, reading goes on with the one after it.
    ///
    /// - Throws: when the file can't be read any further.
    mutating func next() throws -> Result<InputRecord, InvalidRecord>?
}

extension RecordReader {
    var unit: String { "line" }
}
