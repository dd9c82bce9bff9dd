/// Why an operation of the log failed.
package enum LogError: Error, Hashable, Sendable {
    /// The file system failed. Nothing is known to be damaged.
    case io(FileSystemError)
    /// Bytes that were acknowledged as durable are missing or bad.
    case damaged(LogDamage)
    /// An earlier sync failed; the log takes no writes until it is opened again.
    case poisoned(reason: String)
    /// The sync that would have made this LSN durable failed: after reopening the commit may be
    /// there or not.
    case commitOutcomeUnknown(LSN)
    /// The reserve would be touched, or the room that must be left. Deleting still works.
    case diskFull(path: String, neededBytes: UInt64)
    case keyTooLarge(byteCount: Int)
    case valueTooLarge(byteCount: Int)
    /// The file is not one of a Travertine store.
    case notOurs(path: String)
    case newerFormat(path: String, found: UInt32, supported: UInt32)
    case wrongStore(path: String, expected: StoreIdentity, found: StoreIdentity)
    case outOfSegmentNumbers
    /// The log was opened before `fork`: its files are the parent's.
    case forked
    /// The log is closed.
    case closed
}

extension LogError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .io(let error): error.description
        case .damaged(let damage): damage.description
        case .poisoned(let reason):
            "the log takes no writes because a sync failed (\(reason)); open the store again"
        case .commitOutcomeUnknown(let lsn):
            "a sync failed: whether commit \(lsn) is durable is unknown until the store is reopened"
        case .diskFull(let path, let needed):
            "the disk is full: \(path) needs \(needed) bytes; delete something or free space"
        case .keyTooLarge(let count):
            "a key of \(count) bytes is over the limit of \(RecordLayout.keyByteCountMax)"
        case .valueTooLarge(let count):
            "a value of \(count) bytes is over the limit of \(RecordLayout.valueByteCountMax)"
        case .notOurs(let path): "\(path) is not a file of a Travertine store"
        case .newerFormat(let path, let found, let supported):
            "\(path) has format version \(found), this program reads up to \(supported)"
        case .wrongStore(let path, let expected, let found):
            "\(path) belongs to another store: expected \(expected), found \(found)"
        case .outOfSegmentNumbers: "all segment numbers are used up"
        case .forked: "the log was opened before fork, and belongs to the parent process"
        case .closed: "the log is closed"
        }
    }
}
