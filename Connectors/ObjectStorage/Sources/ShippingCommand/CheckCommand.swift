import ArgumentParser
import Foundation
import StoreShipping

/// `travertine-ship check`: finds out whether each point of a backup can be restored.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that each point of a backup can be restored.",
        discussion: """
            Reads all points and lists of files, which have checksums, and lists the other objects: \
            each that a point refers to must be there, with its size. With --read all of them are \
            read and compared with their checksums, each once. With --restore the newest point is \
            restored into a temporary directory, verified as a store, and removed.

            It changes nothing, and may run beside `ship`.

            Statuses: 64 wrong arguments; 65 something is missing or damaged; 66 no such backup, or \
            it has no point; 69 the storage refuses or can't be reached; 74 writing failed; 77 \
            permission or key; 130 and 143 ended by a signal.
            """)

    @OptionGroup var storage: StorageArguments

    @Flag(help: "Read all objects, and compare them with their checksums.")
    var read = false

    @Flag(help: "Restore the newest point into a temporary directory, and verify the store.")
    var restore = false

    @Option(help: "Where the temporary directory is made. (default: that of the system)")
    var directory: String?

    @OptionGroup var key: KeyArguments

    @Flag(help: "Print a line of JSON for each finding, and one at the end.")
    var json = false

    @Flag(help: "Print findings and errors only.")
    var quiet = false

    mutating func validate() throws {
        if directory != nil, !restore {
            throw ValidationError("--directory is for --restore.")
        }
    }

    func run() async {
        do {
            let report = try await check()
            guard report.isSound else { Foundation.exit(65) }
        } catch {
            CommandFailure(error).exit()
        }
    }

    private func check() async throws -> CheckReport {
        let (key, ignoresUnneededKey) = (try restore ? key.key() : nil, key.isFromEnvironment)
        let progress = ShippingProgress(isJSON: json, isQuiet: quiet)
        let parent = directory ?? FileManager.default.temporaryDirectory.path
        let target = parent + "/travertine-check-\(UUID().uuidString)"
        Signals.notice()
        let report = try await storage.withStorage(progress) { [read, restore] storage in
            try await Signals.cancelling {
                var checker = BackupChecker(storage: storage)
                checker.ignoresUnneededKey = ignoresUnneededKey
                var report = try await checker.check(read ? .read : .listed) { stage, done, total in
                    progress.draw(stage, done, total)
                }
                if restore {
                    try await checker.restoreNewest(
                        into: target, encryptionKey: key, report: &report
                    ) { progress.draw("restoring", $0, $1) }
                }
                return report
            }
        }
        show(report, progress)
        return report
    }

    private func show(_ report: CheckReport, _ progress: ShippingProgress) {
        for finding in report.findings {
            progress.print(ShippingProgress.Line(event: "finding", finding: finding))
            let points =
                finding.firstPoint == finding.lastPoint
                ? "point \(finding.firstPoint)"
                : "points \(finding.firstPoint) to \(finding.lastPoint)"
            progress.complain("\(finding.key): \(finding.message); needed by \(points)")
        }
        progress.print(
            ShippingProgress.Line(event: "checked", check: ShippingProgress.CheckSummary(report)))
        var text =
            "\(report.soundPointCount) of \(report.pointCount) points are sound; "
            + "\(report.objectCount) objects, \(ShippingProgress.text(report.byteCount))"
        if report.readByteCount > 0 {
            text += ", \(ShippingProgress.text(report.readByteCount)) read"
        }
        if let lsn = report.restoredLSN {
            text +=
                "; LSN \(lsn) was restored"
                + (report.isVerified == true ? " and verified" : ", checksums only: give the key")
        }
        progress.say(text)
    }
}
