import ArgumentParser
import Foundation
import StoreMaintenance
import Travertine
import TravertineStore

/// `travertine fsck`: verifies a store.
struct FsckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fsck",
        abstract:
            "Verify a store: every segment, batch, checkpoint, and the index against the log.",
        discussion: """
            Changes nothing unless --repair is given. The store must not be open elsewhere. Each \
            finding says what it means and what to do.

              travertine fsck places.store && echo sound
              travertine fsck places.store --quick
              travertine fsck places.store --json | jq .findings
              travertine fsck places.store --repair

            --quick reads what opening reads. Without a level every byte is read, and every \
            checkpoint is compared with the whole log. --deep also builds the index anew, compares \
            it key by key, reads every record through it, decodes every object with its links and \
            collections, and compares indexes and backlinks with the objects.

            --repair does only what loses nothing: it builds index and checkpoints anew from the \
            log, with --deep also indexes and backlinks from the objects, and removes left-over \
            files, after copying what it changes to a directory beside the store. While the log \
            or the manifest is damaged it changes nothing.

            A store on a read-only file system is verified as well. One that a program has open is \
            verified by way of a backup: travertine backup, then travertine verify.

            Statuses, as fsck(8) has them: 0 nothing is damaged; 1 damage was repaired; 4 damage \
            is left; 8 the store could not be verified; 16 wrong arguments.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Flag(help: "Read only what opening reads.")
    var quick = false

    @Flag(help: "Also build the index anew from the log and read every record through it.")
    var deep = false

    @Flag(help: "Repair what can be repaired without losing anything.")
    var repair = false

    @Flag(help: "Print a JSON object with all figures and findings.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print findings only.")
    var quiet = false

    @OptionGroup var key: KeyArguments

    mutating func validate() throws {
        if quiet { Messages.turnOff() }
        if quick, deep { throw ValidationError("--quick and --deep exclude each other.") }
    }

    private var level: VerificationLevel { quick ? .quick : deep ? .deep : .standard }

    func run() throws {
        var bar = ProgressBar("fsck")
        let start = ContinuousClock.now
        let show: (VerificationProgress) -> Void = { progress in
            bar.update(progress)
        }
        let repaired = try repair ? repairStore(show) : nil
        let report = try repaired.map { $0.after ?? $0.before } ?? verifyStore(show)
        bar.clear()
        if json {
            print(try JSONReport.text(of: FsckResult(report, repaired)))
        } else {
            let seconds = start.duration(to: .now).seconds
            var output = OutputWriter()
            for line in Self.lines(repaired) { output.writeLine(line) }
            for line in Self.lines(report, seconds: seconds, isQuiet: quiet) {
                output.writeLine(line)
            }
            output.flush()
        }
        if !report.isSound { throw ExitCode(ExitStatus.Fsck.errorsLeft) }
        if let repaired, !repaired.actions.isEmpty { throw ExitCode(ExitStatus.Fsck.corrected) }
    }

    private func verifyStore(
        _ show: @escaping (VerificationProgress) -> Void
    ) throws -> VerificationReport {
        let key = try StoreKey.key(for: directory)
        return deep
            ? try DeepVerification.verify(path: directory, key: key, progress: show)
            : try StoreVerifier.verify(path: directory, level: level, key: key, progress: show)
    }

    private func repairStore(
        _ show: @escaping (VerificationProgress) -> Void
    ) throws -> RepairReport {
        let key = try StoreKey.key(for: directory)
        return deep
            ? try DeepVerification.repair(path: directory, key: key, progress: show)
            : try StoreRepair.repair(path: directory, level: level, key: key, progress: show)
    }

    /// What a repair found and did.
    private static func lines(_ repaired: RepairReport?) -> [String] {
        guard let repaired else { return [] }
        if repaired.actions.isEmpty {
            if repaired.before.isSound { return ["nothing to repair"] }
            if repaired.before.isLogWhole {
                return [
                    "Nothing was repaired: what is damaged can't be made anew from the rest. Each "
                        + "finding says what to do.", "",
                ]
            }
            return [
                "Nothing was repaired: the log or the manifest is damaged, and what is lost there "
                    + "can't be made anew. Restore the store from a backup, or get back what is "
                    + "intact: travertine recover DIRECTORY NEW", "",
            ]
        }
        let actions = repaired.actions.map { "repaired: \($0)" }
        return repaired.before.findings.flatMap(FindingText.lines) + actions
            + ["  As it was before: \(repaired.backupPath ?? "-")", ""]
    }

    private static func lines(
        _ report: VerificationReport, seconds: Double, isQuiet: Bool
    ) -> [String] {
        var lines = report.findings.flatMap(FindingText.lines)
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
                : Style.output.red("DAMAGED: \(Figures.count(errorCount, "error"))"))
        return lines
    }
}

/// What `fsck --json` prints: the report and its conclusion.
private struct FsckResult: Encodable {
    private let report: VerificationReport
    private let repair: RepairReport?

    private enum CodingKeys: String, CodingKey {
        case isSound, repair
    }

    init(_ report: VerificationReport, _ repair: RepairReport?) {
        self.report = report
        self.repair = repair
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(report.isSound, forKey: .isSound)
        try container.encodeIfPresent(repair, forKey: .repair)
    }
}
