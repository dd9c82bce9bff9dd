import ArgumentParser
import Foundation
import StoreMaintenance
import TravertineStore

/// `travertine inspect`: one file of a store in readable form.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a file of a store: segment, page file or manifest, decoded and in hex.",
        discussion: """
            Reads without a lock and changes nothing. Damaged structures are shown as they are, \
            with what is wrong.

              travertine inspect places.store/manifest
              travertine inspect places.store/0000000001.segment
              travertine inspect places.store/0000000001.segment --lsn 1
              travertine inspect places.store/0000000001.segment --offset 4096
              travertine inspect places.store/0000000001.pages --offset 4096 --json

            Statuses: 0 done, whatever the state of the file; 64 wrong arguments; 66 no such file; \
            74 reading failed; 77 permission denied.
            """)

    @Argument(help: "A file of a store.", completion: .file())
    var file: String

    @Option(help: "Show what the byte at this offset belongs to: a record, a batch, a page.")
    var offset: Int?

    @Option(help: "Show the batch with this LSN and its records.")
    var lsn: UInt64?

    @Option(help: "Show at most so many batches.")
    var limit = 100

    @Flag(help: "Leave out the bytes.")
    var noHex = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if offset != nil, lsn != nil {
            throw ValidationError("--offset and --lsn exclude each other.")
        }
        if let offset, offset < 0 { throw ValidationError("--offset counts from 0.") }
        if limit < 0 { throw ValidationError("--limit must not be negative.") }
    }

    func run() throws {
        let selection: FileInspection.Selection =
            offset.map { .offset($0) } ?? lsn.map { .lsn($0) } ?? .overview(limit: limit)
        let inspection = try FileInspector.inspect(
            path: file, selection,
            key: StoreKey.key(for: URL(fileURLWithPath: file).deletingLastPathComponent().path))
        if json {
            print(try JSONReport.text(of: inspection))
            return
        }
        var output = OutputWriter()
        for line in InspectionText(inspection, showsHex: !noHex).lines { output.writeLine(line) }
        output.flush()
    }
}
