import ArgumentParser
import Foundation
import TravertineStore

/// `travertine stat`: what a store holds and what it costs.
struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Show what a store holds and what it costs.",
        discussion: """
            Live bytes are those of records that are the newest version of their key; dead bytes \
            are the rest of what was written. Space amplification is bytes on disk ÷ live bytes.

              travertine stat places.store
              travertine stat places.store --json | jq .spaceAmplification
              travertine stat places.store --html places.html
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Flag(help: "Print a JSON object with everything that is known.")
    var json = false

    @Flag(help: "Show every segment; otherwise only the eight with the most dead bytes.")
    var segments = false

    @Option(help: "Write a page with pictures to this file.", completion: .file())
    var html: String?

    func run() throws {
        let statistics = try StoreArguments.withStore(at: directory, createIfMissing: false) {
            try $0.statistics
        }
        if let html {
            try StatisticsPage(statistics).text.write(
                toFile: html, atomically: true, encoding: .utf8)
        }
        if json {
            print(try JSONText.pretty(statistics))
        } else {
            var output = OutputWriter()
            let report = StatisticsReport(statistics, showsAllSegments: segments)
            for line in report.lines { output.writeLine(line) }
            output.flush()
        }
    }
}
