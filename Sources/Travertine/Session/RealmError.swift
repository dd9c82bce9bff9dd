import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Realm {
    /// An error of the object database: what the world did, in one type.
    ///
    /// ```swift
    /// do {
    ///     let realm = try Realm()
    /// } catch let error as Realm.Error where error.code == .schemaMismatch {
    ///     print(error.message)
    /// }
    /// ```
    public struct Error: Swift.Error, Sendable, CustomStringConvertible {
        /// What kind of error it is; the numbers are RealmSwift's.
        public enum Code: Int, Sendable, Hashable, CaseIterable {
            /// Anything without a separate code.
            case fail = 1
            /// The files could not be read or written.
            case fileAccess = 2
            /// The process may not read or write there.
            case filePermissionDenied = 3
            /// The file exists and must not.
            case fileExists = 4
            /// The file does not exist.
            case fileNotFound = 5
            /// The format is old, and upgrading it was not allowed.
            case fileFormatUpgradeRequired = 6
            /// The lock file belongs to an incompatible version.
            case incompatibleLockFile = 8
            /// There is no address space left to map files.
            case addressSpaceExhausted = 9
            /// The stored schema and the classes differ.
            case schemaMismatch = 10
            /// Another process has the realm open, or this one with classes that don't go with
            /// these.
            case alreadyOpen = 12
            /// The input is not what the call takes.
            case invalidInput = 13
            /// There is no room on the disk.
            case outOfDiskSpace = 14
            /// Another process uses the files in a way that can't be shared; never thrown here.
            case incompatibleSession = 15
            /// The files were written by a newer version.
            case unsupportedFileFormatVersion = 16
            /// Two processes synchronise one realm; never thrown here.
            case multipleSyncAgents = 17
            /// A server refused a subscription; never thrown here.
            case subscriptionFailed = 18
            /// A file operation failed.
            case fileOperationFailed = 19
            /// The files are damaged, or are not a realm.
            case invalidDatabase = 20
            /// A synchronised realm was opened as another, or the other way round; never thrown
            /// here.
            case incompatibleHistories = 21
            /// Objects were written that no subscription has; never thrown here.
            case noSubscriptionForWrite = 22
            /// An object with the same primary key exists.
            case duplicatePrimaryKey = 101
            /// Another object has the values over which there is a unique index.
            case uniqueViolation = 102
            /// The realm is encrypted with another key, or is and no key was given, or is not and
            /// one was given.
            case invalidEncryptionKey = 103
        }

        /// What kind of error it is.
        public let code: Code
        /// What happened and what to do next.
        public let message: String
        /// The realm it happened in.
        public var fileURL: URL?
        /// The store's error, if it came from there: with file, offset and LSN.
        public var underlying: StoreError?

        /// Creates an error.
        public init(
            _ code: Code, _ message: String, fileURL: URL? = nil, underlying: StoreError? = nil
        ) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
            self.underlying = underlying
        }

        /// The message, with the file, the offset and the LSN if the error came from the store.
        public var description: String {
            guard let underlying, underlying.description.hasPrefix(message) else { return message }
            return underlying.description
        }
    }
}

extension Realm.Error {
    /// The error of the realm that an error of its store amounts to.
    init(_ error: StoreError, fileURL: URL?) {
        let code: Code =
            switch error.code {
            case .damaged, .notAStore, .wrongStore: .invalidDatabase
            case .diskFull: .outOfDiskSpace
            case .locked: .alreadyOpen
            case .newerFormat: .unsupportedFileFormatVersion
            case .notFound: Self.isUnderAFile(fileURL) ? .fileAccess : .fileNotFound
            case .permissionDenied: .filePermissionDenied
            case .io, .notADirectory, .outOfNumbers, .tooManyOpenFiles: .fileAccess
            case .outOfMemory: .addressSpaceExhausted
            case .invalidEncryptionKey: .invalidEncryptionKey
            case .keyTooLarge, .valueTooLarge, .commitNotKept: .invalidInput
            default: .fail
            }
        let file = error.code == .notADirectory ? fileURL.flatMap { FileAtLocation($0) } : nil
        self.init(code, file?.message ?? error.message, fileURL: fileURL, underlying: error)
    }

    /// Whether a path leads through a file, so that nothing can be there.
    private static func isUnderAFile(_ url: URL?) -> Bool {
        guard var parent = url?.deletingLastPathComponent() else { return false }
        while parent.path.count > 1 {
            if FileManager.default.fileExists(atPath: parent.path) { return parent.isFile }
            parent = parent.deletingLastPathComponent()
        }
        return false
    }

    static var damagedSchema: Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The stored schema contradicts its format. Run `travertine fsck` on the directory and "
                + "restore it from a backup.")
    }
}

extension URL {
    /// Whether there is something at the path that is no directory.
    var isFile: Bool {
        FileManager.default.fileExists(atPath: path)
            && !FileManager.default.fileExists(atPath: path + "/.")
    }
}

extension RealmSession {
    /// Runs `body`; an error of the store is thrown as one of the realm.
    func throwingRealmErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw Realm.Error(error, fileURL: shared.fileURL)
        }
    }
}

extension Realm.Error: LocalizedError {
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
}
