import Foundation
import StoreMaintenance
import TravertineStore

/// A bar on standard error that shows how far a job has come; silent unless that is a terminal.
struct ProgressBar {
    /// What the done and total of a job count.
    enum Unit {
        case bytes
        /// Things of this name: "object".
        case things(String)
    }

    private let label: String
    private let unit: Unit
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private static let cellCount = 24

    /// - Parameters:
    ///   - label: what the job is called.
    ///   - unit: what is counted.
    init(_ label: String, _ unit: Unit = .bytes) {
        self.label = label
        self.unit = unit
        isShown = Self.isWanted
    }

    /// Whether a person watches standard error.
    static var isWanted: Bool {
        isatty(STDERR_FILENO) == 1 && !Messages.areOff
            && ProcessInfo.processInfo.environment["CI"] == nil
    }

    /// Draws the bar, at most ten times a second. Without a total it shows only `detail`.
    mutating func update(done: UInt64, total: UInt64?, detail: String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let lastDrawn, lastDrawn.duration(to: now) < .milliseconds(100) { return }
        lastDrawn = now
        var line = "\r\u{1b}[K\(label) "
        let seconds = start.duration(to: now).seconds
        if let total, total > 0 {
            let share = min(1, Double(done) / Double(total))
            let full = Int(share * Double(Self.cellCount))
            line += String(repeating: "█", count: full)
            line += String(repeating: "░", count: Self.cellCount - full)
            line += " \(Int(share * 100)) %"
            if share > 0.02, seconds > 1 {
                line += ", \(Self.time(seconds / share * (1 - share))) left"
            }
        }
        line += " " + detail
        if seconds > 1 { line += ", " + rate(Double(done) / seconds) }
        FileHandle.standardError.write(Data(line.utf8))
    }

    private func rate(_ perSecond: Double) -> String {
        switch unit {
        case .bytes: Figures.bytes(Int(perSecond)) + "/s"
        case .things(let name): Figures.count(Int(perSecond)) + " \(name)s/s"
        }
    }

    /// A duration as people say it: `42 s`, `3 min 20 s`, `2 h 5 min`.
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 1e9))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    /// Draws how far a backup has come.
    mutating func update(_ progress: BackupProgress) {
        update(
            done: progress.byteCount, total: progress.totalByteCount,
            detail: Figures.bytes(progress.byteCount))
    }

    /// Draws how far a verification has come.
    mutating func update(_ progress: VerificationProgress) {
        update(done: progress.byteCount, total: progress.totalByteCount, detail: progress.step)
    }

    /// Wipes the bar, so that a message can follow.
    func clear() {
        guard isShown, lastDrawn != nil else { return }
        FileHandle.standardError.write(Data("\r\u{1b}[K".utf8))
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
