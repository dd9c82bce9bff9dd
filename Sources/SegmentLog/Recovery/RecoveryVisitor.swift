/// Takes what recovery replays: complete transactions only, in the order of their LSNs.
package protocol RecoveryVisitor {
    mutating func beginTransaction(firstLSN: LSN) throws
    /// The pointers in `record` are valid during the call.
    mutating func record(_ record: RecoveredRecord) throws
    /// A few records of a transaction that come next, from the next one on: a chance to ask for
    /// what they will need. It does not get all records, and not only those that come. The pointers
    /// are valid during the call.
    mutating func expect(_ records: UnsafeBufferPointer<RecordPointer>)
    mutating func endTransaction(lastLSN: LSN) throws
    /// Where the transaction ends whose end comes next.
    mutating func willEnd(at place: LogPlace)
    /// Whether the walk ends after the transaction that was shown last.
    var isFull: Bool { get }
}

extension RecoveryVisitor {
    /// Does nothing.
    package mutating func expect(_ records: UnsafeBufferPointer<RecordPointer>) {}
    /// Does nothing.
    package mutating func willEnd(at place: LogPlace) {}
    /// False.
    package var isFull: Bool { false }
}
