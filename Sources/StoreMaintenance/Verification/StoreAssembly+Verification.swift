import SegmentLog
import TravertineStore

/// Verifying a store before it gets its name.
extension StoreAssembly {
    /// Verifies what was built, as `StoreBackup.verify` does a backup: every batch, record and
    /// page, and the index against the log. Takes no lock and writes nothing.
    ///
    /// - Throws: `.misuse` unless `setManifest` returned true; what prevents a verification, as
    ///   `StoreVerifier.verify`. Damage is in the report.
    public func verify(
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        guard let list else {
            throw StoreError(
                .misuse, "The store can't be verified: its key is not known.", file: directory)
        }
        var reading = verifyingEnvironment
        reading.fileSystem = BackupView(
            of: list, in: directory, fileSystem: fileSystem, isBeingBuilt: true)
        return try StoreVerifier.verify(path: directory, environment: reading, progress: progress)
    }
}
