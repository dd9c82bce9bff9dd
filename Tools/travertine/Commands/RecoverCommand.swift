import ArgumentParser
import Foundation
import StoreMaintenance
import TravertineStore

/// `travertine recover`: gets records back from what is left of a store.
struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Get back what is intact of a damaged store, into a new one.",
        discussion: """
            Finds records by their checksums alone: the manifest, checkpoints, names and order of \
            files may be missing or wrong, and bytes may be missing in the middle. The damaged \
            store is never written to. The report says what is lost, with file and offset.

              travertine recover broken.store new.store
              travertine recover broken.store new.store --prefer consistent
              travertine recover - new.store --scan disk.img --json | jq .gaps

            --prefer newest keeps the newest intact version of every key; transactions may come \
            back in part. --prefer consistent keeps all transactions up to the first that is not \
            whole, and nothing later.

            Only a manifest says where a log ends: without one, commits at the end may be missing, \
            which the report mentions.

            Statuses: 0 nothing is lost; 4 the new store is written, and something is lost or may \
            be; 8 nothing could be recovered; 16 wrong arguments.
            """)

    @Argument(help: "The damaged store; “-” for none.", completion: .directory)
    var directory: String

    @Argument(help: "The directory of the new store; must be missing or empty.")
    var newDirectory: String

    @Option(
        help: "A file to search too: a segment from elsewhere, or the image of a disk.",
        completion: .file())
    var scan: [String] = []

    @Option(help: "Which versions to keep: newest, or consistent.")
    var prefer = StoreSalvage.Preference.newest

    @Option(help: "The UUID of the store to take, if the files hold several.")
    var store: String?

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if directory == "-", scan.isEmpty {
            throw ValidationError("Without a directory, say which files to search: --scan FILE.")
        }
        if let store, UUID(uuidString: store) == nil {
            throw ValidationError("--store: “\(store)” is not a UUID.")
        }
    }

    func run() throws {
        var bar = ProgressBar("recover")
        let report = try StoreSalvage.recover(
            directory: directory == "-" ? nil : directory, files: scan, to: newDirectory,
            preference: prefer, storeUUID: store, key: StoreKey.key(for: directory)
        ) { progress in
            bar.update(done: progress.done, total: progress.total, detail: progress.step)
        }
        bar.clear()
        if json {
            print(try JSONReport.text(of: SalvageResult(report)))
        } else {
            var output = OutputWriter()
            for line in SalvageText(report, target: newDirectory).lines { output.writeLine(line) }
            output.flush()
        }
        if !report.isComplete { throw ExitCode(ExitStatus.Fsck.errorsLeft) }
    }
}

extension StoreSalvage.Preference: ExpressibleByArgument {}

/// What `recover --json` prints: the report and its conclusion.
private struct SalvageResult: Encodable {
    private let report: SalvageReport

    private enum CodingKeys: String, CodingKey {
        case isComplete
    }

    init(_ report: SalvageReport) { self.report = report }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(report.isComplete, forKey: .isComplete)
    }
}
