import ArgumentParser
import Foundation
import StoreShipping

/// `travertine-ship restore`: makes a store of a point.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a store of a backup in S3.",
        discussion: """
            The directory is missing or empty. All that is read is compared with its checksum, and \
            the store is verified, before it gets its name: it is built as NAME.restoring.

              travertine restore s3://backups/places places.store
              travertine restore s3://backups/places places.store --at 2026-05-01T12:00
              travertine restore s3://backups/places places.store --at 81723

            --at LSN, or HISTORY:LSN, restores the newest commit that is not after it, also between \
            two points; for that an encrypted store needs its key. Compaction may have removed the \
            log between points that lie far apart: then it is refused, and the message says which \
            commits can be restored. An LSN after that of the newest point is refused. --at with a \
            time of UTC restores the newest point that is not after it, as commits have no times. \
            `travertine-ship points` lists points, and with --commits which commits between them can \
            be restored.

            Statuses: 64 wrong arguments, or something is at the path; 65 damaged; 66 no such backup \
            or point; 69 the storage refuses or can't be reached; 74 writing failed; 75 another \
            restore builds there; 77 permission or key; 130 and 143 ended by a signal.
            """)

    @OptionGroup var storage: StorageArguments

    @Argument(help: "The directory of the new store.", completion: .directory)
    var store: String

    @Option(
        help: ArgumentHelp(
            "The newest commit not after an LSN (of an older history: HISTORY:LSN), or point not "
                + "after a time of UTC, such as 2026-11-30T12:00:00Z. (default: the newest)"))
    var at: SelectionArgument?

    @Option(help: "The number of a point.")
    var point: UInt64?

    @OptionGroup var key: KeyArguments

    @Flag(help: "Print a line of JSON at the end.")
    var json = false

    @OptionGroup var output: OutputArguments

    mutating func validate() throws {
        if at != nil, point != nil {
            throw ValidationError("--at and --point exclude each other.")
        }
    }

    func run() async {
        do {
            try await restore()
        } catch {
            CommandFailure(error).exit()
        }
    }

    /// Refuses what is no directory before anything is read.
    private func checkTarget() throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: store, isDirectory: &isDirectory),
            !isDirectory.boolValue
        else { return }
        throw CommandFailure(
            status: 64,
            message: "\(store) is there already, and no directory. Choose another path.")
    }

    private func restore() async throws {
        try checkTarget()
        let key = try key.key()
        let progress = ShippingProgress(isJSON: json, isQuiet: output.quiet)
        let selection = point.map { .number($0) } ?? at?.selection ?? .newest
        Signals.notice()
        let ignoresUnneededKey = self.key.isFromEnvironment
        let report = try await storage.withStorage(progress) { [store] storage in
            try await Signals.cancelling {
                var restorer = Restorer(storage: storage)
                restorer.ignoresUnneededKey = ignoresUnneededKey
                return try await restorer.restore(selection, to: store, encryptionKey: key) {
                    progress.draw("restoring", $0, $1)
                }
            }
        }
        progress.print(
            ShippingProgress.Line(
                event: "restored", point: report.point, bytes: report.byteCount,
                files: report.fileCount, isVerified: report.isVerified, lsn: report.lsn,
                requestedLSN: report.requestedLSN, hasManifest: report.hasManifest))
        let time = UTCText(report.point.timeMilliseconds)
        let what =
            report.lsn == report.point.lsn
            ? "point \(report.point.number) of \(time), LSN \(report.lsn)"
            : "LSN \(report.lsn), after point \(report.point.number) of \(time)"
        progress.say(
            "restored \(what): \(ShippingProgress.count(report.fileCount, "file")), "
                + ShippingProgress.text(report.byteCount)
                + (report.isVerified
                    ? ", verified"
                    : ". It is encrypted: checksums match, and what is in it was not verified; give the "
                        + "key with --key-file for that"))
        if !report.hasManifest { progress.warnOfManifest() }
        if let requested = report.requestedLSN, requested != report.lsn {
            progress.warn(
                "note: LSN \(requested) was asked for, and the newest commit up to there that the "
                    + "backup has is LSN \(report.lsn)")
        }
    }
}
