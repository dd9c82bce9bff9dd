extension Realm.Error.Code {
    /// Whether an error is one of the realm with this code: `catch Realm.Error.fileNotFound`.
    public static func ~= (code: Self, error: any Swift.Error) -> Bool {
        (error as? Realm.Error)?.code == code
    }
}

/// Codes by themselves, to be caught.
extension Realm.Error {
    /// Anything without a separate code.
    public static let fail = Code.fail
    /// The files could not be read or written.
    public static let fileAccess = Code.fileAccess
    /// The process may not read or write there.
    public static let filePermissionDenied = Code.filePermissionDenied
    /// The file exists and must not.
    public static let fileExists = Code.fileExists
    /// The file does not exist.
    public static let fileNotFound = Code.fileNotFound
    /// The format is old, and upgrading it was not allowed.
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    /// The lock file belongs to an incompatible version.
    public static let incompatibleLockFile = Code.incompatibleLockFile
    /// There is no address space left to map files.
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    /// The stored schema and the classes differ.
    public static let schemaMismatch = Code.schemaMismatch
    /// Another process has the realm open.
    public static let alreadyOpen = Code.alreadyOpen
    /// The input is not what the call takes.
    public static let invalidInput = Code.invalidInput
    /// There is no room on the disk.
    public static let outOfDiskSpace = Code.outOfDiskSpace
    /// Another process uses the files in a way that can't be shared.
    public static let incompatibleSession = Code.incompatibleSession
    /// The files were written by a newer version.
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    /// Two processes synchronise one realm.
    public static let multipleSyncAgents = Code.multipleSyncAgents
    /// A server refused a subscription.
    public static let subscriptionFailed = Code.subscriptionFailed
    /// A file operation failed.
    public static let fileOperationFailed = Code.fileOperationFailed
    /// The files are damaged, or are not a realm.
    public static let invalidDatabase = Code.invalidDatabase
    /// A synchronised realm was opened as another, or the other way round.
    public static let incompatibleHistories = Code.incompatibleHistories
    /// Objects were written that no subscription has.
    public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
    /// A call failed: what `fail` is.
    public static let callFailed = Code.fail
    /// An object with the same primary key exists.
    public static let duplicatePrimaryKey = Code.duplicatePrimaryKey
    /// Another object has the values over which there is a unique index.
    public static let uniqueViolation = Code.uniqueViolation
    /// The realm is encrypted with another key, or is and no key was given, or is not and one was
    /// given.
    public static let invalidEncryptionKey = Code.invalidEncryptionKey
}
