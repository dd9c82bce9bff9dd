/// One record of an input file: its fields by name, and itself as JSON.
struct InputRecord {
    /// A field's content.
    enum Field {
        /// The content as text: a string without its quotes, or a number or word as written.
        case text([UInt8])
        /// JSON null.
        case null
        /// A JSON object or array, as written.
        case nested([UInt8])
    }

    /// The line that the record begins on, from 1.
    let line: Int
    /// The record as a JSON object.
    let json: [UInt8]
    /// The fields that were asked for, in that order; nil for a missing one.
    let fields: [Field?]
}

/// A record that can't be used: the line it begins on and the reason.
struct InvalidRecord: Error {
    let line: Int
    let reason: String
}

/// Something that gives the records of a file one after the other.
protocol RecordReader {
    /// Bytes consumed so far, and bytes there are, if that is known.
    var byteCount: UInt64 { get }
    var totalByteCount: UInt64? { get }

    /// The next record, or why it can't be used; nil at the end of the file. After an invalid
    /// record, reading goes on with the one after it.
    ///
    /// - Throws: when the file can't be read any further.
    mutating func next() throws -> Result<InputRecord, InvalidRecord>?
}
