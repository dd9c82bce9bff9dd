import ArgumentParser
import Foundation
import TravertineStore

/// `travertine fsck`: verifies a store.
struct FsckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract:
            "Verify a store: every segment, batch, checkpoint, and the index against the log.",
        discussion: """
            Reads every byte and changes nothing. The store must not be open elsewhere. Each \
            finding says what it means and what to do. Damage is never repaired by this command.

              travertine fsck places.store && echo sound
              travertine fsck places.store --json | jq .findings

            Statuses, as fsck(8) has them: 0 nothing is damaged; 4 damage was found and is left as \
            it is; 8 the store could not be verified; 16 wrong arguments.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Flag(help: "Print a JSON object with all figures and findings.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print findings only.")
    var quiet = false

    func run() throws {
        var bar = ProgressBar("fsck")
        let start = ContinuousClock.now
        let report = try StoreVerifier.verify(path: directory) { progress in
            bar.update(
                done: progress.byteCount, total: progress.totalByteCount, detail: progress.step)
        }
        bar.clear()
        if json {
            print(try JSONText.pretty(FsckResult(report)))
        } else {
            var output = OutputWriter()
            let seconds = start.duration(to: .now).seconds
            for line in Self.lines(report, seconds: seconds, isQuiet: quiet) {
                output.writeLine(line)
            }
            output.flush()
        }
        if !report.isSound { throw ExitCode(ExitStatus.Fsck.errorsLeft) }
    }

    private static func lines(
        _ report: VerificationReport, seconds: Double, isQuiet: Bool
    ) -> [String] {
        var lines: [String] = []
        for finding in report.findings {
            var place = [finding.file].compactMap(\.self)
            if let offset = finding.offset { place.append("offset \(offset)") }
            if let lsn = finding.lsn { place.append("LSN \(lsn)") }
            lines.append(
                "\(finding.severity.rawValue): \(finding.message)"
                    + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"))
            lines.append("  \(finding.advice)")
        }
        if isQuiet { return lines }
        if !lines.isEmpty { lines.append("") }
        lines.append(
            "\(report.path): \(Figures.count(report.segmentCount, "segment")), "
                + "\(Figures.count(report.batchCount, "batch")), "
                + "\(Figures.count(report.recordCount, "record")), "
                + "\(Figures.count(report.pageCount, "index page")), "
                + "\(Figures.count(report.keyCount, "key")); "
                + "\(Figures.bytes(report.byteCount)) read in \(String(format: "%.2f", seconds)) s")
        let errorCount = report.findings.count { $0.severity == .error }
        lines.append(
            report.isSound
                ? (report.wasClosedCleanly
                    ? "sound" : "sound; it was not closed cleanly, which opening makes good")
                : "DAMAGED: \(Figures.count(errorCount, "error"))")
        return lines
    }
}

/// What `fsck --json` prints: the report and its conclusion.
private struct FsckResult: Encodable {
    private let report: VerificationReport

    private enum CodingKeys: String, CodingKey {
        case isSound
    }

    init(_ report: VerificationReport) { self.report = report }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(report.isSound, forKey: .isSound)
    }
}
