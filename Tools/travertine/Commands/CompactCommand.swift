import ArgumentParser
import StoreMaintenance
import TravertineStore

/// `travertine compact`: copies what is live together and gives back the rest.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Give back the space of old versions, and put records in key order.",
        discussion: """
            A store compacts by itself while a program has it open, up to its space bound. This \
            copies everything that is live once, which gives the least space and the fastest scans. \
            Control-C and SIGTERM end it at the next step. Nothing is lost then; copies whose \
            originals are still there take space until the next compaction.

            The store is verified first, and a damaged one is not changed: it may have older \
            versions of what is damaged, which `travertine recover` can get back, and which \
            compaction removes.

              travertine compact places.store
              travertine compact places.store --json | jq .movedByteCount

            Statuses: 0 compacted; 64 wrong arguments; 65 the store is damaged; 66 no such store; \
            74 reading or writing failed; 75 another process has the store open; 77 permission \
            denied; 130 interrupted by control-C, 143 by SIGTERM.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Flag(help: "Print a JSON object with what was done.")
    var json = false

    @Flag(help: "Do not verify the store first; what is intact of a damaged one is compacted.")
    var unverified = false

    @OptionGroup var common: CommonArguments

    func run() throws {
        let interruption = Interruption(before: "The store was not changed.")
        if !unverified { try verify() }
        interruption.begin()
        let (before, report) = try StoreArguments.withStore(
            at: directory, createIfMissing: false
        ) { store in
            let before = try store.statistics.allocatedByteCount
            var bar = ProgressBar("compacting")
            defer { bar.clear() }
            let report = try store.compact(
                progress: { progress in
                    bar.update(
                        done: progress.byteCount, total: progress.totalByteCount,
                        detail: Figures.bytes(progress.byteCount))
                }, isCancelled: { interruption.isRequested })
            return (before, report)
        }
        if report.isCancelled {
            throw interruption.error(
                "\(Figures.count(report.segmentCount, "segment")) compacted, nothing lost. To go "
                    + "on: travertine compact \(directory)")
        }
        // Closing gives back the unused end of the segment that was being written.
        let after = try StoreArguments.withStore(at: directory, createIfMissing: false) {
            try $0.statistics.allocatedByteCount
        }
        for failure in report.unreadableSegments { printWarning(failure) }
        if json {
            print(try JSONReport.text(of: report))
        } else {
            show(report, before: before, after: after)
        }
        if !report.unreadableSegments.isEmpty { throw ExitCode(ExitStatus.badData) }
    }

    /// Refuses a damaged store, before anything is written.
    private func verify() throws {
        var bar = ProgressBar("verify")
        defer { bar.clear() }
        let report = try StoreVerifier.verify(path: directory, key: StoreKey.key(for: directory)) {
            bar.update($0)
        }
        bar.clear()
        guard let first = report.findings.first(where: { $0.severity == .error }) else { return }
        let place = first.file.map { " (\($0))" } ?? ""
        throw CommandError(
            ExitStatus.badData,
            """
            the store is damaged, and was not compacted: \(first.message)\(place)
            All that is found, and what repairs it: travertine fsck \(directory)
            Where the log itself is damaged, to get back what is intact, and older versions of the rest:
              travertine recover \(directory) NEW
            To compact what is intact all the same: travertine compact --unverified \(directory)
            """)
    }

    private func show(_ report: CompactionReport, before: Int, after: Int) {
        let sizes = "\(Figures.bytes(before)) before, \(Figures.bytes(after)) after"
        print("log on disk           \(sizes)")
        print(
            "copied                \(Figures.records(report.movedRecordCount)), "
                + Figures.bytes(report.movedByteCount))
        print("segments compacted    \(report.segmentCount)")
        // Also those that earlier passes had left for a snapshot or a checkpoint.
        print("segments removed      \(report.removedSegmentCount)")
        print("took                  \(Figures.duration(nanoseconds: report.durationNanoseconds))")
    }
}
