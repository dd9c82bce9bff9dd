import ArgumentParser
import TravertineStore

/// The options that `backup` and `restore` share.
struct CarryingArguments: ParsableArguments {
    @OptionGroup var messages: Messages.Arguments

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
    func options(method otherwise: BackupOptions.Method) -> BackupOptions {
        BackupOptions(
            method: method ?? otherwise, bytesPerSecond: rate.map { max(1, Int($0 * 1_048_576)) })
    }

    /// Prints what was done.
    func show(_ report: BackupReport, _ sentence: String) throws {
        if json { return print(try JSONReport.text(of: report)) }
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
