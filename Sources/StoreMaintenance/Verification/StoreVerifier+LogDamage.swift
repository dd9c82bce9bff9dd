import SegmentLog
import TravertineStore

/// What damage means that keeps the log from being read from its beginning.
extension StoreVerifier {
    static let earlyLogAdvice =
        "Opening begins at a checkpoint after this place, so that the store opens; what is damaged "
        + "can't be read, and an index can't be built anew. Restore the store from a backup, or get "
        + "back what is intact: travertine recover DIRECTORY NEW"

    /// Reports it, when all segments have been looked at.
    mutating func reportLogDamage(_ manifest: Manifest) {
        guard let error = logDamage else { return }
        // Where damage hides a later retirement table, the way over retired segments is lost:
        // nothing needs to be missing.
        if let file = error.file, !environment.fileSystem.exists(file), !damage.isEmpty {
            report.add(
                .note, error.messageOfFinding,
                advice: "This may follow from the damage that is reported below.",
                file: error.file, lsn: error.lsn)
            return
        }
        report.add(
            .error, error.messageOfFinding,
            advice: opens(manifest) ? Self.earlyLogAdvice : Self.logAdvice,
            file: error.file, offset: error.offset, lsn: error.lsn)
    }

    /// Whether the store opens all the same.
    private func opens(_ manifest: Manifest) -> Bool {
        let opening = StoreOpening(path: path, options: options)
        do {
            _ = ReplayedStore(
                try opening.recover(manifest, start: environment.now(), isNew: false))
            return true
        } catch {
            return false
        }
    }
}
