import SegmentLog
import TravertineStore

/// Opening a store to verify what a higher layer has in it.
extension StoreVerifier {
    /// Calls `body` with the newest state of a store that nobody has open, and its keyspaces by
    /// name: for verifications of what a higher layer keeps in it. Changes nothing; the lock is
    /// held until the end.
    ///
    /// - Throws: what `verify` throws; `.damaged` when the store does not open; what `body` throws.
    package static func withContents<Result>(
        of path: String, environment: Environment = .system,
        _ body: (_ access: ReadAccess, _ keyspaces: [Keyspace]) throws -> Result
    ) throws -> Result {
        let hold = try VerificationHold(of: path, environment: environment)
        return try withContents(of: hold, body)
    }

    /// As above, under a lock that the caller holds.
    package static func withContents<Result>(
        of hold: borrowing VerificationHold,
        _ body: (_ access: ReadAccess, _ keyspaces: [Keyspace]) throws -> Result
    ) throws -> Result {
        let (path, environment) = (hold.path, hold.environment)
        guard let manifest = try ManifestFile.read(in: path, fileSystem: environment.fileSystem)
        else { throw StoreError(.damaged, "The manifest is missing.", file: path) }
        var options = StoreOptions()
        options.readMode = .verified
        options.environment = environment
        let opening = StoreOpening(path: path, options: options)
        let opened = try opening.recover(manifest, start: environment.now(), isNew: false)
        let keyspaces = KeyspaceCatalog(opened.keyspaces).all
        let store = ReplayedStore(opened)
        return try withExtendedLifetime(store) { try body(store.access, keyspaces) }
    }
}
