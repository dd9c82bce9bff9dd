import SegmentLog
import TravertineStore

/// Verifying a backup where it lies (B7).
extension StoreBackup {
    /// Verifies a backup as `StoreVerifier` does a store: every batch, record and page, and the
    /// index against the log. Takes no lock and writes nothing.
    ///
    /// - Throws: `.notFound`, `.notAStore` when the directory holds no complete backup,
    ///   `.permissionDenied` when it may not be read, `.newerFormat`, `.damaged` when the list of
    ///   its files can't be read. Other damage is in the report.
    public static func verify(
        path: String, key: EncryptionKey? = nil,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        try verify(path: path, environment: .system(key), progress: progress)
    }

    private static let indexAdvice =
        "Make a new backup elsewhere; `travertine recover` gets back what is intact in this one."
    private static let fileAdvice =
        "Run `travertine fsck` on the store: a file that the backup has by a link, as the command makes "
        + "it, is damaged there, too. If the store is sound, remove the file from the backup and renew "
        + "it, which brings the file again. `travertine recover` gets back what is intact in this one."

    package static func verify(
        path: String, environment: Environment,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws(StoreError) -> VerificationReport {
        let list = try list(of: path, environment.fileSystem)
        var reading = environment
        reading.fileSystem = BackupView(of: list, in: path, fileSystem: environment.fileSystem)
        var report = try StoreVerifier.verify(
            path: path, environment: reading, progress: progress)
        // What a store's findings advise, going back to a backup, would lead here again.
        for place in report.findings.indices where report.findings[place].severity == .error {
            report.findings[place].advice =
                report.findings[place].file == nil ? indexAdvice : fileAdvice
        }
        for file in list.files {
            let isPresent = try file.isPresent(
                in: path, identity: list.manifest.identity, fileSystem: environment.fileSystem)
            if isPresent { continue }
            report.add(
                .error, "The file is missing, too short, or another one.",
                advice:
                    "Renew the backup, which brings the file again, or make a new one elsewhere; "
                    + "`travertine recover` gets back what is intact.",
                file: file.name)
        }
        return report
    }
}
