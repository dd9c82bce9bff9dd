#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An error of the store: what went wrong, where, and what to do next.
///
/// Everything that the world can cause (input and output, damage, a full disk, another process)
/// and every misuse that a caller can recover from is a `StoreError`; `code` distinguishes them.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of error it is.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A system call failed for a reason that has no specific code.
        case io
        /// Bytes on disk contradict their checksum, or something that must be there is missing.
        case damaged
        /// There is no room for the change; nothing of it was kept, and deleting still works.
        case diskFull
        /// The key is longer than `Store.keyByteCountMax`.
        case keyTooLarge
        /// The value is longer than `Store.valueByteCountMax`.
        case valueTooLarge
        /// The store was closed.
        case closed
        /// The transaction was committed or rolled back before.
        case transactionEnded
        /// Another store object or process holds the directory.
        case locked
        /// The path exists and holds something else.
        case notAStore
        /// The files were written by a newer version of Travertine.
        case newerFormat
        /// A file belongs to another store.
        case wrongStore
        /// The path does not exist.
        case notFound
        /// The path is not a directory.
        case notADirectory
        /// The process may not read or write there.
        case permissionDenied
        /// A sync failed: whether the commit survives a power cut is unknown.
        case commitOutcomeUnknown
        /// An earlier sync failed: the store refuses writes until it is opened again.
        case poisoned
        /// The call is not allowed here; the message says what to do instead.
        case misuse
        /// The store was opened by a parent process before `fork`.
        case forked
        /// The keyspace does not exist in this store, or was dropped.
        case noSuchKeyspace
        /// The system has no memory, or no address space, for what is to be read or written.
        case outOfMemory
        /// The process, or the system, may not have more files open: raise the limit (`ulimit -n`).
        case tooManyOpenFiles
        /// Numbers that are never used again, of segments, page files or keyspaces, are used up:
        /// dump the store and load it into a new one. Reading goes on.
        case outOfNumbers
        /// The log does not have the earlier commit that a reader was asked for, or not all that
        /// the store held then.
        case commitNotKept
        /// The store is encrypted and no key was given, or another one; or a key was given for a
        /// store that is not encrypted. Nothing was changed.
        case invalidEncryptionKey
        /// The caller cancelled the call. What it had begun is taken back.
        case cancelled
    }

    /// What kind of error it is.
    public let code: Code
    /// What happened, and what to do next, in whole sentences.
    public let message: String
    /// The file it happened in, if it happened in one.
    public let file: String?
    /// The byte offset in the file, if known.
    public let offset: UInt64?
    /// The log sequence number concerned, if there is one.
    public let lsn: UInt64?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, file: String? = nil, offset: UInt64? = nil,
        lsn: UInt64? = nil
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.lsn = lsn
    }

    /// The message with its place, in one line.
    public var description: String {
        var place: [String] = []
        if let file { place.append(file) }
        if let offset { place.append("offset \(offset)") }
        if let lsn { place.append("LSN \(lsn)") }
        return place.isEmpty
            ? message : "\(message) (\(place.joined(separator: ", ")))"
    }
}

extension StoreError: LocalizedError {
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
}
