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

            `ship --put-again` makes a damaged backup whole from then on. Points before that which \
            are damaged stay so until they are pruned: they are listed still, and no longer change \
            the status.

            Statuses: 0 all points can be restored, or all since everything was put again; 64 wrong \
            arguments; 65 something else is missing or damaged; 66 no such backup, or it has no \
            point; 69 the storage refuses or can't be reached; 74 writing failed; 77 permission or \
            key; 130 and 143 ended by a signal.
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

    @OptionGroup var output: OutputArguments

    mutating func validate() throws {
        if directory != nil, !restore {
            throw ValidationError("--directory is for --restore.")
        }
    }

    func run() async {
        do {
            let report = try await check()
            if report.needsRepair { Foundation.exit(65) }
        } catch {
            CommandFailure(error).exit()
        }
    }

    private func check() async throws -> CheckReport {
        let (key, ignoresUnneededKey) = (try restore ? key.key() : nil, key.isFromEnvironment)
        let progress = ShippingProgress(isJSON: json, isQuiet: output.quiet)
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
            progress.print(
                ShippingProgress.Line(
                    event: "finding", finding: finding, needsRepair: report.needsRepair(finding)))
            let points =
                finding.firstPoint == finding.lastPoint
                ? "point \(finding.firstPoint)"
                : "points \(finding.firstPoint) to \(finding.lastPoint)"
            progress.complain("\(finding.key): \(finding.message); needed by \(points)")
        }
        progress.print(
            ShippingProgress.Line(event: "checked", check: ShippingProgress.CheckSummary(report)))
        for advice in Self.advice(report) { progress.complain(advice) }
        let points = ShippingProgress.count(report.pointCount, "point")
        var text =
            "\(report.soundPointCount) of \(points) \(report.soundPointCount == 1 ? "is" : "are") sound; "
            + "\(ShippingProgress.count(report.objectCount, "object")), "
            + ShippingProgress.text(report.byteCount)
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

    /// What can be done about the findings.
    private static func advice(_ report: CheckReport) -> [String] {
        var advice: [String] = []
        if let first = report.repairedFrom, report.lostPointCount > 0 {
            let points = ShippingProgress.count(report.lostPointCount, "point")
            advice.append(
                "\(points) before point \(first) can't be restored, and nothing repairs that. Point "
                    + "\(first) and later ones need nothing of it: everything was put again. Damaged "
                    + "points are removed when they are old enough, as others are")
        }
        if report.canBeRepaired {
            advice.append(
                "ship once with --put-again: with it everything is put, and from that point on the "
                    + "backup is whole. What is damaged now stays so; restore another point "
                    + "(travertine-ship points)")
        }
        return advice
    }
}
