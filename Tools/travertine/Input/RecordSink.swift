/// What takes the records of an import: a keyspace, or an object type.
protocol RecordSink: AnyObject {
    /// The records that were taken and are not stored yet.
    var waitingCount: Int { get }
    /// Takes a record, or says why it can't be used; then nothing of it is kept.
    func take(_ record: InputRecord) throws -> InvalidRecord?
    /// Properties that new objects got their types' defaults for, since their records have no such
    /// field, with how many objects did.
    var defaultedFields: [String: Int] { get }
    /// Makes what was taken durable in one transaction; returns its bytes.
    func commit() throws -> Int
}
