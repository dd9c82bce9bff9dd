import Foundation
import TravertineJSON
import TravertineStore

/// Follows the keys and values of a store by a feed, as JSON Lines.
final class FeedTail {
    private let reader: StoreReader
    private let directory: String
    private let interruption: Interruption
    private let deadline: ContinuousClock.Instant?
    private var output = OutputWriter()
    private var rest: Int
    /// A snapshot that was begun is ended, whatever the time: the next command would begin it
    /// again.
    private var isInPart = false
    private let isFile: Bool

    /// How long a signal may go unnoticed.
    private static let pause = Duration.milliseconds(200)

    init(
        _ reader: StoreReader, _ directory: String, _ interruption: Interruption, limit: Int?,
        seconds: Double?
    ) throws {
        if StoredTypes.areThere(in: reader) {
            throw CommandError(
                ExitStatus.usage,
                "\(directory) holds objects, and --feed follows keys and values. Without --feed, "
                    + "tail follows objects.")
        }
        self.reader = reader
        self.directory = directory
        self.interruption = interruption
        rest = limit ?? .max
        deadline = seconds.map { ContinuousClock.now + .seconds($0) }
        var status = stat()
        isFile = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private var isOver: Bool {
        interruption.isRequested || rest <= 0 || output.isReaderGone
            || !isInPart && deadline.map { .now >= $0 } ?? false
    }

    /// Thrown to end in the middle of a transaction, which is printed again the next time.
    private struct End: Error {}

    /// Prints what comes, until the end.
    func follow(_ name: String, after position: FeedPosition?) throws {
        let feed = try reader.feed(named: name)
        defer { feed.close() }
        if let position { try feed.resume(after: position) }
        interruption.begin()
        repeat {
            var hasMore = false
            do {
                hasMore = try feed.read { event in
                    if isOver { throw End() }
                    print(event)
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
            if feed.position != nil { try feed.acknowledge() }
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

    private func print(_ event: FeedEvent) {
        var line: [UInt8] = Array("{\"event\":\"".utf8)
        func member(_ name: String, _ text: String) {
            line.append(UInt8(ascii: ","))
            JSONText.append(name: name, to: &line)
            JSONText.append(utf8: Array(text.utf8), to: &line)
        }
        switch event {
        case .snapshot(let reason):
            isInPart = true
            line += Array("snapshot\"".utf8)
            member("reason", reason.rawValue)
        case .difference:
            isInPart = true
            line += Array("difference\"".utf8)
        case .change(let change):
            line += Array((change.value == nil ? "delete\"" : "put\"").utf8)
            member("keyspace", change.keyspace.name)
            let entry = EntryText.json(key: change.key, value: change.value, isHex: false)
            line.append(UInt8(ascii: ","))
            line += Array(entry.dropFirst().dropLast().utf8)
        case .reached(let position):
            line += Array("reached\",\"lsn\":\(position.lsn)".utf8)
            member("position", position.description)
            isInPart = false
            rest -= 1
        }
        line.append(UInt8(ascii: "}"))
        output.writeLine(String(decoding: line, as: UTF8.self))
    }
}
