import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension BackupChecker {
    /// Restores the newest point into a directory, verifies the store, and removes it.
    ///
    /// What is wrong with it is added to the report, with the LSN that was restored.
    ///
    /// - Parameters:
    ///   - directory: is made for it, and removed at the end; nothing is at this path.
    ///   - progress: called with the bytes that were read, and all.
    /// - Throws: what is not the backup's fault: `StorageFailure`, `StoreError` of the disk, the
    ///   directory or the key, `CancellationError`.
    public func restoreNewest(
        into directory: String, encryptionKey: EncryptionKey? = nil, report: inout CheckReport,
        progress: @escaping @Sendable (UInt64, UInt64) -> Void = { _, _ in }
    ) async throws {
        try Self.makeDirectory(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let newest = try await Restorer(storage: storage).contents().points.last
        do {
            var restorer = Restorer(storage: storage)
            restorer.ignoresUnneededKey = ignoresUnneededKey
            let restored = try await restorer.restore(
                .newest, to: directory + "/store", encryptionKey: encryptionKey,
                progress: progress)
            report.restoredLSN = restored.lsn
            report.isVerified = restored.isVerified
        } catch let error as ShippingError {
            switch error {
            case .missing(let key, let point): note(.missing, key, "it is not there", point)
            case .damaged(let key, let reason): note(.damaged, key, reason, newest?.number)
            case .unsound(let findings):
                note(
                    .unsound, newest.map(ObjectName.point) ?? ObjectName.manifest,
                    findings.prefix(3).joined(separator: " "), newest?.number)
            default: throw error
            }
        } catch let error as StoreError where [.damaged, .wrongStore].contains(error.code) {
            note(
                .unsound, newest.map(ObjectName.point) ?? ObjectName.manifest, "\(error)",
                newest?.number)
        }
        func note(_ kind: CheckFinding.Kind, _ key: String, _ message: String, _ point: UInt64?) {
            // The listing may have found it already.
            if report.findings.contains(where: { $0.key == key }) { return }
            let point = point ?? 0
            report.findings.append(
                CheckFinding(
                    kind: kind, key: key, message: message, firstPoint: point, lastPoint: point))
        }
    }

    private static func makeDirectory(_ path: String) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        } catch {
            let (code, reason): (StoreError.Code, String) =
                switch (error as? CocoaError)?.code {
                case .fileWriteNoPermission: (.permissionDenied, "Permission denied")
                case .fileWriteVolumeReadOnly: (.permissionDenied, "Read-only file system")
                case .fileWriteOutOfSpace: (.diskFull, "No space left on device")
                case .fileNoSuchFile: (.notFound, "The directory above it is missing")
                default: (.io, "\(error)")
                }
            throw StoreError(
                code, "The directory for the restored store can't be made: \(reason).", file: path)
        }
    }
}
