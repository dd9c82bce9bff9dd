import ArgumentParser
import StoreMaintenance
import TravertineStore

/// The options that `backup` and `restore` share.
struct CarryingArguments: ParsableArguments {
    @OptionGroup var common: CommonArguments

    @Option(help: "How files get there: link, clone or copy. (backup: link, restore: clone)")
    var method: BackupOptions.Method?

    @Option(help: "At most so many MiB are copied in a second.")
    var rate: Double?

    @Flag(help: "Print a JSON object with the counts.")
    var json = false

    mutating func validate() throws {
        if let rate, !(rate > 0 && rate < 1e9) {
            throw ValidationError("--rate must be above 0.")
        }
    }

    /// The library's options.
    ///
    /// - Parameter directory: the store, or the backup, that is read.
    func options(
        method otherwise: BackupOptions.Method, keyOf directory: String
    ) throws -> BackupOptions {
        var options = BackupOptions(
            method: method ?? otherwise, bytesPerSecond: rate.map { max(1, Int($0 * 1_048_576)) })
        options.encryptionKey = try StoreKey.key(for: directory)
        return options
    }

    /// Counts, and what verifying a backup found.
    private struct Verified: Encodable {
        let report: BackupReport
        let verification: VerificationReport

        private enum CodingKeys: CodingKey { case verification }

        func encode(to encoder: Encoder) throws {
            try report.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(verification, forKey: .verification)
        }
    }

    /// Prints what was done; as JSON together with what verifying found, if it was verified.
    func show(
        _ report: BackupReport, _ sentence: String, _ verification: VerificationReport? = nil
    ) throws {
        if json {
            guard let verification else { return print(try JSONReport.text(of: report)) }
            return print(
                try JSONReport.text(of: Verified(report: report, verification: verification)))
        }
        let parts = [
            (report.reusedFileCount, "already there"), (report.linkedFileCount, "linked"),
            (report.clonedFileCount, "cloned"), (report.copiedFileCount, "copied"),
        ].filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" }
        printNote(
            "\(sentence) as of LSN \(report.lsn): \(Figures.count(report.fileCount, "file")), "
                + "\(Figures.bytes(report.byteCount))"
                + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"))
    }
}

extension BackupOptions.Method: ExpressibleByArgument {}
