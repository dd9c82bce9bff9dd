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
