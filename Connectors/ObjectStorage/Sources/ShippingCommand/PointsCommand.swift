import ArgumentParser
import Foundation
import StoreShipping

/// `travertine-ship points`: lists what can be restored.
struct PointsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "points",
        abstract: "List the points of a backup, the newest last.",
        discussion: """
            A history is a state of the store from which the following ones came: another one begins \
            where the store was restored, put back to an older state, or exchanged.

            --commits reads each point that is listed, and says up to which LSN the commits between \
            it and the point before it can be restored with `restore --at LSN`.

            Statuses: 64 wrong arguments; 65 damaged; 66 no such backup; 69 the storage refuses or \
            can't be reached; 77 permission denied.
            """)

    @OptionGroup var storage: StorageArguments

    @Option(help: "How many of the newest points; 0 for all.")
    var last = 20

    @Flag(help: "Say which commits between points can be restored.")
    var commits = false

    @Flag(help: "Print a line of JSON for each point.")
    var json = false

    @OptionGroup var output: OutputArguments

    mutating func validate() throws {
        guard last >= 0 else { throw ValidationError("--last takes a number from 0 on.") }
    }

    func run() async {
        do {
            try await list()
        } catch {
            CommandFailure(error).exit()
        }
    }

    private func list() async throws {
        let progress = ShippingProgress(isJSON: json, isQuiet: output.quiet)
        let (contents, reaches) = try await storage.withStorage(progress) {
            [last, commits] storage in
            let restorer = Restorer(storage: storage)
            let contents = try await restorer.contents()
            // One more, with which the first interval begins.
            let read = last == 0 ? contents.points[...] : contents.points.suffix(last + 1)
            return (contents, commits ? try await restorer.reaches(of: read, in: contents) : [:])
        }
        let hasManifest = contents.manifestFault == nil
        if !hasManifest { progress.warnOfManifest() }
        let shown = last == 0 ? contents.points[...] : contents.points.suffix(last)
        if json {
            for history in contents.histories {
                progress.print(
                    ShippingProgress.Line(
                        event: "history", message: history.note, history: history.number,
                        firstPoint: history.firstPoint))
            }
            for point in shown {
                progress.print(
                    ShippingProgress.Line(
                        event: "point", point: point, commitsThrough: reaches[point.number],
                        hasManifest: hasManifest))
            }
            return
        }
        let holder = contents.holder
        Swift.print("store    \(contents.storeUUID ?? "none yet")")
        Swift.print(
            "shipper  \(holder.name), \(holder.isHeld ? "last seen" : "ended"), "
                + "\(UTCText(holder.timeMilliseconds))")
        Swift.print("points   \(contents.points.count)")
        for history in contents.histories {
            Swift.print(
                "history  \(history.number), from point \(history.firstPoint) on: \(history.note)")
        }
        for point in shown {
            Swift.print(
                "\(point.number)\t\(UTCText(point.timeMilliseconds))\tLSN \(point.lsn)"
                    + (contents.histories.count > 1 ? "\thistory \(point.history)" : "")
                    + (reaches[point.number].map { Self.text(reach: $0, before: point) } ?? ""))
        }
    }

    /// Which of the commits after the point before it can be restored.
    private static func text(reach: UInt64, before point: PointSummary) -> String {
        reach == point.lsn ? "\tall commits before it" : "\tcommits up to LSN \(reach) before it"
    }
}
