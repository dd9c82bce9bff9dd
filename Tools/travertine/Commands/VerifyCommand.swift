import ArgumentParser
import StoreMaintenance
import TravertineStore

/// `travertine verify`: checks a backup.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a backup: every byte of it, and the index against the log.",
        discussion: """
            Does what `travertine fsck` does for a store; takes no lock and writes nothing, so that \
            the backup may be on a read-only disk.

              travertine verify /backups/places

            Statuses: 0 the backup is sound; 64 wrong arguments; 65 it is damaged; 66 there is no \
            complete backup; 74 reading failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the backup.", completion: .directory)
    var backup: String

    @Flag(help: "Print a JSON object with all figures and findings.")
    var json = false

    @OptionGroup var common: CommonArguments

    func run() throws {
        let report = try Self.verify(backup)
        if json {
            print(try JSONReport.text(of: report))
        } else {
            for finding in report.findings {
                for line in FindingText.lines(finding) { print(line) }
            }
            print(
                "\(backup): LSN \(report.lastLSN), \(Figures.count(report.segmentCount, "segment")), "
                    + "\(Figures.count(report.keyCount, "key")), "
                    + "\(Figures.bytes(report.byteCount)): \(report.isSound ? "sound" : "DAMAGED")")
        }
        if !report.isSound { throw ExitCode(ExitStatus.badData) }
    }

    /// Verifies a backup, with a progress bar.
    static func verify(_ backup: String) throws -> VerificationReport {
        var bar = ProgressBar("verify")
        defer { bar.clear() }
        return try StoreBackup.verify(path: backup, key: StoreKey.key(for: backup)) {
            bar.update($0)
        }
    }
}
