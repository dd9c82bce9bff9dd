import ArgumentParser
import Foundation
import TravertineStore

/// `travertine feeds`: the change feeds of a store.
struct FeedsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feeds",
        abstract: "List the change feeds of a store, or remove one.",
        discussion: """
            A feed is the place in the log up to which a consumer has everything, under a name: \
            that of a program (Store.feed), or of `travertine tail --feed`. Compaction leaves the \
            log after it as it is, within the bounds that the feed has; one that is not kept \
            begins again with a snapshot.

              travertine feeds places.store
              travertine feeds places.store --json | jq '.[].name'
              travertine feeds places.store --remove search

            Statuses: 0 done; 64 wrong arguments; 65 the store is damaged; 66 no such store or \
            feed; 74 reading or writing failed; 75 somebody reads the feed; 77 permission denied.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Option(help: "Remove this feed: nothing is kept for it any more.")
    var remove: String?

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var common: CommonArguments

    func run() throws {
        try StoreArguments.reading(at: directory) { reader in
            let feeds = try reader.feeds
            if let remove {
                let file = "\(directory)/\(remove).feed"
                guard
                    feeds.contains(where: { $0.name == remove })
                        || FileManager.default.fileExists(atPath: file)
                else {
                    throw CommandError(
                        ExitStatus.noInput,
                        "\(directory) has no feed “\(remove)”. `travertine feeds` lists them.")
                }
                try reader.removeFeed(named: remove)
                printNote("removed the feed \(remove)")
                return
            }
            if json {
                print(try JSONReport.text(of: feeds))
            } else if feeds.isEmpty {
                printNote("\(directory) has no feeds.")
            } else {
                list(feeds)
            }
        }
    }

    private func list(_ feeds: [FeedStatistics]) {
        var table = TextTable(["feed", "acknowledged LSN", "log after it", "kept", "last used"])
        for feed in feeds {
            let time = Date(timeIntervalSince1970: TimeInterval(feed.lastUse))
            table.add([
                feed.name, feed.hasSnapshot ? "\(feed.acknowledgedLSN)" : "none",
                Figures.bytes(feed.unacknowledgedByteCount), feed.isKept ? "yes" : "no",
                time.formatted(.iso8601),
            ])
        }
        var output = OutputWriter()
        for line in table.lines { output.writeLine(line) }
        output.flush()
    }
}
