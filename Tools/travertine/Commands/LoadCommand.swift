import ArgumentParser
import Foundation
import StoreMaintenance
import TravertineStore

/// `travertine load`: makes a store of a dump.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Make a new store of a dump.",
        discussion: """
            The store appears under its name when all of the dump is in it, checked and durable. A \
            dump that was cut off or changed is refused, with the line where it shows, and leaves \
            nothing.

              travertine load places.dump again.store
              zstd -dc places.dump.zst | travertine load - again.store

            Statuses: 0 done; 64 wrong arguments; 65 the dump can't be used; 66 no such file; 74 \
            reading or writing failed; 77 permission denied.
            """)

    @Argument(help: "The dump; “-” is standard input.", completion: .file())
    var file: String

    @Argument(help: "The directory of the new store.", completion: .directory)
    var directory: String

    @Flag(help: "Print a JSON object with the counts.")
    var json = false

    @OptionGroup var common: CommonArguments

    func run() throws {
        let input = try InputSource(path: file)
        var bar = ProgressBar("load")
        let start = ContinuousClock.now
        let summary: DumpSummary
        do {
            summary = try Store.load(at: directory, options: StoreKey.options(for: directory)) {
                progress in
                bar.update(
                    done: progress.byteCount, total: input.byteCount,
                    detail: Figures.records(progress.recordCount))
            } from: { target in
                try input.read(into: target)
            }
        } catch let error as DumpError {
            bar.clear()
            throw CommandError(ExitStatus.badData, "\(file): \(error)")
        }
        bar.clear()
        if json {
            print(try JSONReport.text(of: summary))
            return
        }
        let seconds = start.duration(to: .now).seconds
        printNote(
            "loaded \(Figures.records(summary.recordCount)) of "
                + "\(Figures.count(summary.keyspaceCount, "keyspace")) into \(directory): "
                + "\(Figures.bytes(summary.byteCount)) in \(String(format: "%.2f", seconds)) s")
    }
}
