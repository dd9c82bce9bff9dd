import Foundation
import TravertineStore

/// Follows a store by a feed, as JSON Lines.
final class FeedTail {
    private let directory: String
    private let interruption: Interruption
    private let deadline: ContinuousClock.Instant?
    private var output = OutputWriter()
    private var rest: Int
    /// What was begun, a transaction or a snapshot, is ended, whatever the time: the next command
    /// would begin it again.
    private var isInPart = false
    private let isFile: Bool
    /// Whether it ends when there is nothing more.
    private let isOnce: Bool

    /// How long a signal may go unnoticed.
    private static let pause = Duration.milliseconds(200)

    init(
        _ directory: String, _ interruption: Interruption, limit: Int?, seconds: Double?,
        isOnce: Bool
    ) {
        self.directory = directory
        self.interruption = interruption
        rest = limit ?? .max
        self.isOnce = isOnce
        deadline = seconds.map { ContinuousClock.now + .seconds($0) }
        var status = stat()
        isFile = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private var isOver: Bool {
        interruption.isRequested || rest <= 0 || output.isReaderGone
            || !isInPart && deadline.map { .now >= $0 } ?? false
    }

    /// Thrown to end in the middle of a transaction after a signal, or where the reader of the
    /// output is gone: it is printed again the next time.
    private struct End: Error {}

    /// Prints what comes, until the end.
    func follow(_ feed: some FollowedFeed, after position: FeedPosition?) throws {
        defer { feed.close() }
        if let position { try feed.resume(after: position) }
        interruption.begin()
        repeat {
            var hasMore = false
            do {
                hasMore = try feed.read { line in
                    if isOver { throw End() }
                    print(line)
                }
            } catch is End {
                hasMore = false
            }
            output.flush()
            // What did not arrive is printed again.
            if output.isReaderGone { return }
            if isFile, fsync(STDOUT_FILENO) != 0 {
                throw CommandError(
                    ExitStatus.inputOutput,
                    "the output can't be synced: \(String(cString: strerror(errno))). What was printed "
                        + "last comes again.")
            }
            if feed.isRead { try feed.acknowledge() }
            if isOnce, !hasMore { return }
            guard !hasMore, !isOver else { continue }
            guard FileManager.default.fileExists(atPath: directory + "/manifest") else {
                throw CommandError(
                    ExitStatus.noInput,
                    "\(directory) was removed. All that was committed before may not have been "
                        + "printed.")
            }
            let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? Self.pause
            try feed.waitForChange(timeout: min(left, Self.pause))
        } while !isOver
    }

    private func print(_ line: FeedLine) {
        switch line.place {
        case .begin, .middle: isInPart = true
        case .end:
            isInPart = false
            rest -= 1
        }
        output.writeLine(line.string)
    }
}
