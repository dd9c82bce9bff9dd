import Foundation
import StoreMaintenance
import TravertineStore

/// A bar on standard error that shows how far a job has come; silent unless that is a terminal.
struct ProgressBar {
    private let label: String
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private static let cellCount = 24

    init(_ label: String) {
        self.label = label
        isShown = Self.isWanted
    }

    /// Whether a person watches standard error.
    static var isWanted: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["CI"] == nil
    }

    /// Draws the bar, at most ten times a second. Without a total it shows only `detail`.
    mutating func update(done: UInt64, total: UInt64?, detail: String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let lastDrawn, lastDrawn.duration(to: now) < .milliseconds(100) { return }
        lastDrawn = now
        var line = "\r\u{1b}[K\(label) "
        if let total, total > 0 {
            let share = min(1, Double(done) / Double(total))
            let full = Int(share * Double(Self.cellCount))
            line += String(repeating: "█", count: full)
            line += String(repeating: "░", count: Self.cellCount - full)
            line += " \(Int(share * 100)) %"
            let seconds = start.duration(to: now).seconds
            if share > 0.02, seconds > 1 {
                line += ", \(Int((seconds / share * (1 - share)).rounded(.up))) s left"
            }
        }
        FileHandle.standardError.write(Data((line + " " + detail).utf8))
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
