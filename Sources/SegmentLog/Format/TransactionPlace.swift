/// A place among the records of a transaction: a batch, and an offset in it.
package struct TransactionPlace: Comparable, Hashable, Sendable {
    package var lsn: LSN
    package var offset: UInt32

    init(lsn: LSN, offset: UInt32) {
        self.lsn = lsn
        self.offset = offset
    }

    /// Where the fields are in the value of a rollback record.
    private enum Offset {
        static var lsn: Int { 0 }
        static var offset: Int { lsn + 8 }
        static var zero: Int { offset + 4 }
        static var end: Int { zero + 4 }
    }

    /// The place from which on a rollback record makes its transaction void; nil for other records.
    package init?(rollback record: RecoveredRecord) {
        guard record.kind == .rollback, record.value.count == Offset.end else { return nil }
        lsn = LSN(rawValue: record.value.loadUnaligned(fromByteOffset: Offset.lsn, as: UInt64.self))
        offset = record.value.loadUnaligned(fromByteOffset: Offset.offset, as: UInt32.self)
    }

    /// The value of the record that makes its transaction void from this place on.
    var rollbackValue: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Offset.end)
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: lsn.rawValue, toByteOffset: Offset.lsn, as: UInt64.self)
            $0.storeBytes(of: offset, toByteOffset: Offset.offset, as: UInt32.self)
        }
        return bytes
    }

    package static func < (left: TransactionPlace, right: TransactionPlace) -> Bool {
        (left.lsn, left.offset) < (right.lsn, right.offset)
    }
}
