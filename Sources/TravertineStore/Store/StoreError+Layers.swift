import OrderedIndex
import SegmentLog

/// The errors of the layers below in the terms of the store.
extension StoreError {
    /// The error for a page that the index could not read.
    package init(_ failure: IndexFailure) {
        switch failure {
        case .damagedPage(let file, let page):
            self.init(
                .damaged,
                "An index page is damaged. The index is being rebuilt from the log; take a new "
                    + "snapshot and try again. If that does not help, open the store again.",
                file: StoreFiles.pageFile(file), offset: PageFileHeader.offset(ofPage: page))
        }
    }

    /// The number of the page file if the error is that of a damaged index page.
    var damagedPageFile: UInt32? {
        code == .damaged ? file.flatMap { StoreFiles.pageFileNumber(of: $0) } : nil
    }

    /// Whether the error is that of a damaged index page.
    package var isDamagedPage: Bool { damagedPageFile != nil }

    /// The error for a system call that failed, with the file and the offset.
    package init(_ error: FileSystemError) {
        let code: Code =
            if error.isKey {
                .invalidEncryptionKey
            } else if error.isNoSpace {
                .diskFull
            } else if error.isOutOfMemory {
                .outOfMemory
            } else if error.isTooManyOpenFiles {
                .tooManyOpenFiles
            } else if error.isPermissionDenied {
                .permissionDenied
            } else if error.isNotFound {
                .notFound
            } else if error.isNotDirectory {
                .notADirectory
            } else {
                .io
            }
        self.init(code, error.message, file: error.path, offset: error.offset)
    }

    static let verificationAdvice =
        " Run `travertine fsck` on the store; `travertine recover` gets back what can be read."

    /// The message as a finding of the verification that it else advises.
    package var messageOfFinding: String {
        message.hasSuffix(Self.verificationAdvice)
            ? String(message.dropLast(Self.verificationAdvice.count)) : message
    }

    /// The error for what went wrong in the log, with file, offset and LSN.
    package init(_ error: LogError) {
        switch error {
        case .io(let error):
            self.init(error)
        case .damaged(let damage):
            self.init(
                .damaged,
                "The log is damaged: \(damage.reason).\(Self.verificationAdvice)",
                file: damage.file, offset: damage.offset, lsn: damage.lsn?.rawValue)
        case .poisoned(let reason):
            self.init(
                .poisoned,
                "An earlier sync failed (\(reason)), so that what is on the disk is unknown. Close "
                    + "the store and open it again; opening finds out what was kept.")
        case .commitOutcomeUnknown(let lsn):
            self.init(
                .commitOutcomeUnknown,
                "Writing or syncing the commit failed: whether it survives a power cut is unknown. Close "
                    + "the store and open it again, and look whether the change is there.",
                lsn: lsn.rawValue)
        case .diskFull(let path, let needed):
            self.init(
                .diskFull,
                "There is no room for \(needed) bytes, those included that are kept for deleting and "
                    + "compacting. Nothing was changed; deleting still works, and gives room back.",
                file: path)
        case .keyTooLarge(let byteCount):
            self = .keyTooLarge(byteCount)
        case .valueTooLarge(let byteCount):
            self = .valueTooLarge(byteCount)
        case .notOurs(let path):
            self.init(
                .notAStore,
                "The file has the name of a segment and is none.\(Self.verificationAdvice)",
                file: path)
        case .newerFormat(let path, let found, let supported):
            self.init(
                .newerFormat,
                "The file has format version \(found); this version of Travertine reads up to "
                    + "\(supported). Open the store with a newer Travertine.", file: path)
        case .wrongStore(let path, let expected, let found):
            self.init(
                .wrongStore,
                "The file belongs to the store \(found.text), not to \(expected.text). Put back the "
                    + "file of this store.\(Self.verificationAdvice)", file: path)
        case .outOfSegmentNumbers:
            self = .outOfNumbers("\(SegmentNumber.maximum.rawValue) numbers of segments")
        case .forked:
            self = .forked()
        case .closed:
            self = .closedStore
        }
    }

    /// Something that a store numbers, and never numbers twice, can't get another number.
    static func outOfNumbers(_ what: String) -> StoreError {
        StoreError(
            .outOfNumbers,
            "The store has used up its \(what), which are never used again. It can still be read: "
                + "dump it and load the dump into a new store, which begins anew.")
    }

    /// Any error of the layers below, or an `.io` with its text.
    package init(anyError error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as FileSystemError: self.init(error)
        case let error as LogError: self.init(error)
        case let error as IndexFailure: self.init(error)
        default: self.init(.io, "\(error)")
        }
    }
}

extension StoreError {
    static func keyTooLarge(_ byteCount: Int) -> StoreError {
        StoreError(
            .keyTooLarge,
            "The key has \(byteCount) bytes; a key has at most \(Store.keyByteCountMax). Store a "
                + "hash or a prefix of it as key, and the whole in the value.")
    }

    static func valueTooLarge(_ byteCount: Int) -> StoreError {
        StoreError(
            .valueTooLarge,
            "The value has \(byteCount) bytes; a value has at most \(Store.valueByteCountMax). "
                + "Split it over several keys.")
    }
}
