import CPlatform
import Foundation
import TravertineStore

/// What a process takes of the machine; zeros where the system does not say.
struct ProcessFigures: Codable {
    /// Bytes of memory that are its own: mapped files do not count, nor what is free in the heap, of
    /// which every thread has some.
    var memoryByteCount = 0
    var descriptorCount = 0
    /// Segments of the store that are mapped.
    var mappedSegmentCount = 0

    static func now(path: String) -> ProcessFigures {
        var figures = ProcessFigures()
        travertine_trim_heap()
        #if os(Linux)
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
                let number = line.split(whereSeparator: { !$0.isNumber }).first
                figures.memoryByteCount = (number.flatMap { Int($0) } ?? 0) << 10
            }
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            figures.descriptorCount = descriptors?.count ?? 0
            let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
            figures.mappedSegmentCount =
                Set(
                    maps.split(separator: "\n").compactMap { line -> Substring? in
                        guard let start = line.firstIndex(of: "/") else { return nil }
                        let file = line[start...]
                        return file.contains(path) && file.contains(".segment") ? file : nil
                    }
                ).count
        #endif
        return figures
    }
}

/// What is measured when all writers and watchers rest.
struct SoakFigures {
    var round: Int
    var commitCount: Int
    var reportCount: Int
    var process: ProcessFigures
    var snapshotCount: Int
    var segmentCount: Int
    var liveByteCount: Int
    var allocatedByteCount: Int
    var allowedByteCount: Int
    var pageByteCount: Int
    var passCount: Int
    var readers: [ProcessFigures]

    static let title =
        "round commits reports  memory fds snaps segs maps    live segments allowed  pages passes "
        + "| memory fds maps of each reader"

    /// The figures as a line of a table; bytes in KiB.
    var line: String {
        func text(_ number: Int, _ width: Int) -> String {
            let digits = "\(number)"
            return String(repeating: " ", count: max(0, width - digits.count)) + digits
        }
        let own = [
            text(round, 5), text(commitCount, 7), text(reportCount, 7),
            text(process.memoryByteCount >> 10, 7), text(process.descriptorCount, 3),
            text(snapshotCount, 5), text(segmentCount, 4), text(process.mappedSegmentCount, 4),
            text(liveByteCount >> 10, 7), text(allocatedByteCount >> 10, 8),
            text(allowedByteCount >> 10, 7), text(pageByteCount >> 10, 6), text(passCount, 6),
        ]
        let others = readers.map {
            "| \(text($0.memoryByteCount >> 10, 6)) \(text($0.descriptorCount, 3)) "
                + text($0.mappedSegmentCount, 4)
        }
        return (own + others).joined(separator: " ")
    }
}

/// Whether a figure stops growing.
struct SoakTrend {
    private static let valueCountMax = 512

    let name: String
    /// What the later half may have beyond the greatest of the earlier half: a share and an amount.
    let share: Double
    let amount: Int
    private let value: (SoakFigures) -> Int
    /// The greatest of every `roundCount` rounds. They are few, so that the program itself does not
    /// grow with the rounds.
    private var values: [Int] = []
    private var roundCount = 1
    /// The rounds of the last value.
    private var lastRoundCount = 0

    init(
        _ name: String, share: Double = 0, amount: Int = 0, _ value: @escaping (SoakFigures) -> Int
    ) {
        (self.name, self.share, self.amount, self.value) = (name, share, amount, value)
        values.reserveCapacity(Self.valueCountMax)
    }

    mutating func note(_ figures: SoakFigures) {
        let value = value(figures)
        if lastRoundCount < roundCount, let last = values.last {
            values[values.count - 1] = max(last, value)
            lastRoundCount += 1
        } else {
            values.append(value)
            lastRoundCount = 1
        }
        guard values.count == Self.valueCountMax, lastRoundCount == roundCount else { return }
        for index in 0..<values.count / 2 {
            values[index] = max(values[2 * index], values[2 * index + 1])
        }
        values.removeLast(values.count / 2)
        roundCount *= 2
        lastRoundCount = roundCount
    }

    /// What is wrong with it. The first quarter is a warm-up, of which nothing is expected.
    var problem: String? {
        let values = values.dropFirst(values.count / 4)
        guard values.count >= 4 else { return nil }
        let earlier = values.prefix(values.count / 2).max() ?? 0
        let later = values.suffix(values.count / 2).max() ?? 0
        let allowed = earlier + Int(Double(earlier) * share) + amount
        return later > allowed
            ? "\(name) grows: up to \(earlier), later up to \(later), of \(allowed) allowed" : nil
    }
}
