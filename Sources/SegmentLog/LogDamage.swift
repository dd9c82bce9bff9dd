/// A place in a file where the bytes are not what they must be.
package struct LogDamage: Error, Hashable, Sendable, CustomStringConvertible {
    package var file: String
    package var offset: UInt64
    /// The batch that is missing or bad, where it is known.
    package var lsn: LSN?
    package var reason: String
    /// Whether nothing but the caller's own evidence calls what is missing durable.
    package var isByOtherEvidenceAlone = false

    package init(file: String, offset: UInt64, lsn: LSN?, reason: String) {
        self.file = file
        self.offset = offset
        self.lsn = lsn
        self.reason = reason
    }

    package var description: String {
        let number = lsn.map { ", LSN \($0)" } ?? ""
        return "\(file) is damaged at offset \(offset)\(number): \(reason)"
    }
}
