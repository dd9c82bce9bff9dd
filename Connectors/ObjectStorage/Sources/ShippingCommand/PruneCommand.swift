import ArgumentParser
import Foundation
import StoreShipping

/// `travertine-ship prune`: removes points by the rules, and what no point needs.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old points of a backup, and what no point needs.",
        discussion: """
            `ship` does the same once an hour. The backup does not have its rules: give the same \
            --keep, --keep-hourly and --keep-daily as to `ship`. With shorter times, or without \
            these options where `ship` has longer ones, points are removed that `ship` keeps; with \
            --keep-all it keeps every point, so don't prune. --dry-run says what would be removed.

            It may run beside `ship`, and beside restores: what removed points needed is removed by \
            the next pruning an hour later or after that, and within that hour nothing else.

              travertine-ship ship places.store s3://backups/places --keep 48h
              travertine-ship prune s3://backups/places --keep 48h --dry-run

            Statuses: 64 wrong arguments; 65 damaged; 66 no such backup; 69 the storage refuses or \
            can't be reached; 75 the clock is hours ahead; 77 permission denied; 130 and 143 ended by \
            a signal.
            """)

    @OptionGroup var storage: StorageArguments
    @OptionGroup var retention: RetentionArguments

    @Flag(help: "Remove nothing; say what would be removed.")
    var dryRun = false

    @Flag(help: "Print a line of JSON at the end.")
    var json = false

    @OptionGroup var output: OutputArguments

    func run() async {
        do {
            try await prune()
        } catch {
            CommandFailure(error).exit()
        }
    }

    private func prune() async throws {
        let progress = ShippingProgress(isJSON: json, isQuiet: output.quiet)
        Signals.notice()
        let rules = retention.rules
        progress.say("pruning by \(retention.text): give the same as to `ship`")
        let report = try await storage.withStorage(progress) { [dryRun] storage in
            try await Signals.cancelling {
                try await Pruner(storage: storage, rules: rules, now: ShipperOptions().now)
                    .prune(onlyCounts: dryRun)
            }
        }
        progress.show(report, isDryRun: dryRun)
        if let wait = report.waitMilliseconds {
            let minutes = ShippingProgress.count(Int((wait + 59_999) / 60_000), "minute")
            progress.say(
                "points were removed less than an hour ago: nothing more is, for \(minutes), so that "
                    + "restores that have begun can end")
        }
    }
}
