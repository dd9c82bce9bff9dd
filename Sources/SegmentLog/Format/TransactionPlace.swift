/// A place among the records of a transaction: a batch, and an offset in it.
package struct TransactionPlace: Comparable, Hashable, Sendable {
    package var lsn: LSN
    package var offset: UInt32

    init(lsn: LSN, offset: UInt32) {
        self.lsn = lsn
        self.offset = offset
    }

    /// The place from which on a rollback record makes its transaction void; nil for other records.
    init?(rollback record: RecoveredRecord) {
        guard record.kind == .rollback, record.value.count == 16 else { return nil }
        lsn = LSN(rawValue: record.value.loadUnaligned(as: UInt64.self))
        offset = record.value.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    }

    package static func < (left: TransactionPlace, right: TransactionPlace) -> Bool {
        (left.lsn, left.offset) < (right.lsn, right.offset)
    }
}
