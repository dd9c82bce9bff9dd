import Synchronization

/// The credentials in use, with the source that they are read from again once they have expired.
final class CredentialsCache: Sendable {
    private let source: @Sendable () throws -> StorageCredentials
    private let current: Mutex<StorageCredentials>

    /// Reads the credentials for the first time.
    init(_ source: @escaping @Sendable () throws -> StorageCredentials) throws {
        self.source = source
        current = Mutex(try source())
    }

    var credentials: StorageCredentials { current.withLock { $0 } }

    /// Reads the credentials again after the service refused `refused`; nil if they are the same.
    func renewed(after refused: StorageCredentials) throws -> StorageCredentials? {
        let latest = credentials
        // Another operation has renewed them.
        if latest != refused { return latest }
        let renewed = try source()
        current.withLock { $0 = renewed }
        return renewed == refused ? nil : renewed
    }
}
