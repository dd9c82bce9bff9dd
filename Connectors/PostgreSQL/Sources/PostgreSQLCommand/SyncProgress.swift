import Foundation
import PostgreSQLClient
import PostgreSQLSync

/// Shows what `travertine sync` does: people on standard error, programs on standard output.
final class SyncProgress {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let clock = ContinuousClock()
    private var lastDrawn: ContinuousClock.Instant?
    private var loadStart: ContinuousClock.Instant?
    private var total = 0
    private var isDrawn = false

    init(isJSON: Bool, isQuiet: Bool) { (self.isJSON, self.isQuiet) = (isJSON, isQuiet) }

    private struct Line: Encodable {
        var event: String
        var reason: String?
        var objects: Int?
        var puts: Int?
        var deletes: Int?
        var lsn: UInt64?
        var position: String?
        var message: String?
        var seconds: Double?
    }

    /// Prints a warning, also where only these and errors are wanted.
    func warn(_ text: String) { write("warning: \(text)") }

    func take(_ event: SyncEvent) {
        switch event {
        case .load(let reason, let count):
            (loadStart, total) = (clock.now, count)
            print(Line(event: "load", reason: reason, objects: count))
            say(
                reason == "new"
                    ? "copying all objects" : "copying all objects again: \(Self.text(reason))")
        case .loaded(let count): draw(count)
        case .committed(let puts, let deletes, let lsn, let position):
            let seconds = loadStart.map { (clock.now - $0) / .seconds(1) }
            print(
                Line(
                    event: "committed", puts: puts, deletes: deletes, lsn: lsn, position: position,
                    seconds: seconds))
            if let seconds {
                say(
                    "copied \(puts) objects in \(Self.number(seconds)) s, "
                        + "\(Self.number(Double(puts) / max(seconds, 0.001))) in a second")
            }
            loadStart = nil
        case .note(let text):
            print(Line(event: "note", message: text))
            say("note: \(text)")
        case .retry(let error, let delay):
            let seconds = delay / .seconds(1)
            print(Line(event: "retry", message: "\(error)", seconds: seconds))
            say("\(error); trying again in \(Self.number(seconds)) s")
        }
    }

    func end(_ summary: SyncSummary) {
        if summary.replacedTextCount > 0 {
            warn("\(summary.replacedTextCount) texts had U+0000, which was replaced by U+FFFD.")
        }
        if summary.keptRowCount > 0 {
            warn(
                "\(summary.keptRowCount) asymmetric objects have primary keys that the server had "
                    + "already: the first object with a key stays there.")
        }
        if summary.unboundedDateCount > 0 {
            warn(
                "\(summary.unboundedDateCount) dates are beyond those of PostgreSQL, and were stored as "
                    + "infinite or null.")
        }
        print(
            Line(
                event: "end", puts: summary.putCount, deletes: summary.deletedCount,
                lsn: summary.lsn))
        say(
            "\(summary.putCount) objects put and \(summary.deletedCount) deleted in "
                + "\(summary.commitCount) transactions")
    }

    private static func text(_ reason: String) -> String {
        switch reason {
        case "fellBehind": "the realm kept no longer what changed since"
        case "otherHistory": "the realm was put back to another state"
        case "otherTypes": "other types are copied than before"
        case "missedObjects": "asymmetric objects that the server has not are gone from the realm"
        default: reason
        }
    }

    private static func number(_ value: Double) -> String {
        value >= 100 ? "\(Int(value))" : String(format: "%.2f", value)
    }

    private func draw(_ count: Int) {
        guard isTerminal, !isQuiet else { return }
        let now = clock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        (lastDrawn, isDrawn) = (now, true)
        var line = "\r\u{1b}[K"
        if total > 0 {
            let share = min(1, Double(count) / Double(total))
            let full = Int(share * 24)
            line += String(repeating: "█", count: full) + String(repeating: "░", count: 24 - full)
            line += " \(Int(share * 100)) % "
        }
        line += "\(count) objects"
        CommandFailure.write(line)
    }

    private func say(_ text: String) {
        if !isQuiet { write(text) }
    }

    private func write(_ text: String) {
        CommandFailure.write((isDrawn ? "\r\u{1b}[K" : "") + text + "\n")
        isDrawn = false
    }

    private func print(_ line: Line) {
        guard isJSON else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(line) else { return }
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }
}
