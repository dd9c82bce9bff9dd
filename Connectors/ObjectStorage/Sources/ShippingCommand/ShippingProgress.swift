import Foundation
import StoreShipping
import Synchronization

/// Shows what a command does: people on standard error, programs on standard output.
final class ShippingProgress: Sendable {
    /// Uploads of fewer bytes are too short for a bar.
    private static let barByteCountMin: UInt64 = 16 << 20
    private static let cellCount = 24

    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var start: ContinuousClock.Instant?
        var isDrawn = false
        var pointCount = 0
        /// Operations that go on and got no answer the last time.
        var silent: Set<ObjectIdentifier> = []
        /// Whether it was said that the storage does not answer.
        var isSilent = false
        /// Whether the shipper has said that it waits.
        var isWaiting = false
    }

    private let isJSON: Bool
    private let isQuiet: Bool
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    init(isJSON: Bool, isQuiet: Bool) { (self.isJSON, self.isQuiet) = (isJSON, isQuiet) }

    func take(_ event: ShippingEvent) {
        switch event {
        case .holding(let other):
            print(Line(event: "holding", message: other))
            if let other { say("taken over from \(other)") }
        case .history(let number, let note):
            print(Line(event: "history", message: note, history: number))
            if number > 1 {
                complain(
                    "history \(number) begins: \(note). The points until now stay as they are.")
            }
        case .uploading(let done, let total):
            if total >= Self.barByteCountMin { draw("uploading", done, total) }
        case .shipped(let round): takeRound(round)
        case .waiting(let reason):
            state.withLock { $0.isWaiting = true }
            print(Line(event: "waiting", message: reason))
            complain("waiting: \(reason). Trying again until it works.")
        case .recovered:
            state.withLock { ($0.silent, $0.isSilent, $0.isWaiting) = ([], false, false) }
            recover()
        case .pruningFailed(let reason):
            print(Line(event: "pruningFailed", message: reason))
            complain(
                "old points were not removed: \(reason). Trying again later; shipping goes on.")
        case .clockDoubted(let hours):
            let text =
                "the clock was \(hours) hours after the newest sign of life in the backup when this "
                + "program began. If nothing was shipped for so long, it is right. Else set it right "
                + "within a day: then points are removed by it"
            print(Line(event: "clockDoubted", message: text))
            complain(text)
        case .pruned(let report): show(report)
        }
    }

    /// Shows what was pruned, or, with `isDryRun`, what would be.
    func show(_ report: PruningReport, isDryRun: Bool = false) {
        print(
            Line(
                event: "pruned", bytes: report.byteCount, milliseconds: report.waitMilliseconds,
                points: report.pointCount, keptPoints: report.keptPointCount,
                objects: report.objectCount, isDryRun: isDryRun))
        let removed =
            "\(Self.count(report.pointCount, "point")), and "
            + "\(Self.count(report.objectCount, "object")) that no point needs "
            + "(\(Self.text(report.byteCount)))"
        let kept = Self.count(report.keptPointCount, "point")
        say(
            isDryRun
                ? "would prune \(removed), and keep \(kept). Nothing was removed (--dry-run)"
                : "pruned \(removed); kept \(kept)")
    }

    private func recover() {
        print(Line(event: "recovered"))
        complain("it works again")
    }

    /// A request of the current operation got nothing from the storage for so long, and is sent
    /// again. Said once until each such operation has ended, which may take minutes: that others
    /// succeed in the meantime does not mean that it works again.
    func noteSilence(_ what: String, _ duration: Duration) {
        let operation = StorageOperation.current.map { ObjectIdentifier($0) }
        let isKnown = state.withLock { state in
            if let operation { state.silent.insert(operation) }
            defer { state.isSilent = true }
            return state.isSilent || state.isWaiting
        }
        guard !isKnown else { return }
        let text = "\(what) the storage for \(Self.text(duration))"
        print(Line(event: "noAnswer", message: text))
        complain("\(text); still trying")
    }

    /// An operation on the storage ended.
    func noteEnd(of operation: StorageOperation, hasSucceeded: Bool) {
        let isOver = state.withLock { state in
            state.silent.remove(ObjectIdentifier(operation))
            // Whether a shipper that waits can go on, it finds out itself.
            guard hasSucceeded, state.silent.isEmpty, state.isSilent, !state.isWaiting else {
                return false
            }
            state.isSilent = false
            return true
        }
        if isOver { recover() }
    }

    private func takeRound(_ round: ShippedRound) {
        print(
            Line(
                event: "shipped", point: round.point, puts: round.putCount, bytes: round.byteCount,
                resumedBytes: round.resumedByteCount, milliseconds: round.milliseconds))
        let count = state.withLock { state in
            state.pointCount += 1
            return state.pointCount
        }
        // The others are as the first, one in each interval.
        guard count == 1 else { return }
        let resumed =
            round.resumedByteCount > 0
            ? ", and \(Self.text(round.resumedByteCount)) were there already" : ""
        say(
            "point \(round.point.number), LSN \(round.point.lsn): \(Self.text(round.byteCount)) in "
                + "\(Self.text(.milliseconds(round.milliseconds)))\(resumed)")
    }

    func end() {
        let count = state.withLock { $0.pointCount }
        print(Line(event: "end", points: count))
        say("shipped \(Self.count(count, "point"))")
    }

    /// A line for people: a note, a summary.
    func say(_ text: String) {
        guard !isQuiet, !isJSON else { return }
        clear()
        CommandFailure.write("travertine-ship: \(text)\n")
    }

    /// A finding or a warning for people, also with `--quiet`.
    func complain(_ text: String) {
        guard !isJSON else { return }
        clear()
        CommandFailure.write("travertine-ship: \(text)\n")
    }

    /// What people must not miss, also where programs read the rest.
    func warn(_ text: String) {
        clear()
        CommandFailure.write("travertine-ship: \(text)\n")
    }

    /// That the backup has no object `manifest`.
    func warnOfManifest() {
        warn(
            "note: the object “manifest” of the backup is missing or damaged. This is of the points "
                + "before it, and later commits may be lost with it: look at the store before you go "
                + "on with it.")
    }

    /// A line for programs, where they are asked for.
    func print(_ line: Line) {
        guard isJSON else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var data = try? encoder.encode(line) else { return }
        data.append(UInt8(ascii: "\n"))
        CommandFailure.writeOutput(data)
    }

    // MARK: The bar

    /// Draws how far a job has come, at most ten times a second, on a terminal.
    func draw(
        _ label: String, _ done: UInt64, _ total: UInt64,
        as text: (UInt64) -> String = ShippingProgress.text
    ) {
        guard isTerminal, !isQuiet, !isJSON, total > 0 else { return }
        let now = ContinuousClock.now
        let start: ContinuousClock.Instant? = state.withLock { state in
            if let last = state.lastDrawn, now - last < .milliseconds(100), done < total {
                return nil
            }
            state.lastDrawn = now
            state.isDrawn = true
            let start = state.start ?? now
            state.start = done < total ? start : nil
            return start
        }
        guard let start else { return }
        let share = min(1, Double(done) / Double(total))
        let full = Int(share * Double(Self.cellCount))
        let seconds = (now - start) / .seconds(1)
        var line = "\r\u{1b}[K\(label) " + String(repeating: "█", count: full)
        line += String(repeating: "░", count: Self.cellCount - full)
        line += " \(Int(share * 100)) %, \(text(done)) of \(text(total))"
        if seconds > 1 { line += ", \(text(UInt64(Double(done) / seconds)))/s" }
        CommandFailure.write(line)
    }

    /// Draws how far a stage of a check has come.
    func draw(_ stage: BackupChecker.Stage, _ done: UInt64, _ total: UInt64) {
        switch stage {
        case .points: draw("points", done, total) { "\($0)" }
        case .listing: draw("listing", done, total) { "\($0)" }
        case .reading: draw("reading", done, total)
        }
    }

    private func clear() {
        let isDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if isDrawn { CommandFailure.write("\r\u{1b}[K") }
    }

    /// A number of things, whose name gets an `s` unless there is one.
    static func count(_ number: Int, _ name: String) -> String {
        number == 1 ? "1 \(name)" : "\(number) \(name)s"
    }

    /// A time in seconds as people read it.
    static func text(_ duration: Duration) -> String {
        String(format: "%g s", duration / .seconds(1))
    }

    /// A number of bytes as people read it.
    static func text(_ byteCount: UInt64) -> String {
        if byteCount < 1000 { return "\(byteCount) B" }
        var value = Double(byteCount)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return String(format: "%.1f %@", value, units[unit])
    }
}
