import OrderedIndex
import Synchronization

/// What was computed from the rows of committed nodes, for all threads of a process.
///
/// It is kept by the identity of the node (`NodeIdentity`), and a committed node never changes, so
/// that nothing ever becomes wrong, and only lack of room removes anything. Only what is a function
/// of the node's own rows and of what its key says may be kept (N1, N2).
///
/// What is not used while a budget's half is filled goes: each shard has two generations.
final class ColumnCache: Sendable {
    /// What is said of a node: the values of a property, or what a condition or a property amounts to
    /// for all rows below it.
    struct Key: Hashable, Sendable {
        let node: NodeIdentity
        let subject: UInt32

        func hash(into hasher: inout Hasher) {
            let rest = node.stamp &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(subject) << 48
            hasher.combine(node.reference ^ rest)
        }
    }

    /// What the rows below a node amount to.
    struct Summary: Sendable {
        /// The rows that fulfil a condition, or the values that are not nil.
        var count = 0
        /// Of integers.
        var sum: Int128 = 0
        var least: UInt64 = .max
        var greatest: UInt64 = 0

        mutating func add(_ other: Summary) {
            count += other.count
            sum += other.sum
            least = min(least, other.least)
            greatest = max(greatest, other.greatest)
        }
    }

    private struct Generation: Sendable {
        var columns: [Key: Column] = [:]
        var summaries: [Key: Summary] = [:]
    }

    private struct Shard: Sendable {
        var current = Generation()
        var previous = Generation()
        var byteCount = 0
    }

    private final class Box: Sendable {
        let shard = Mutex(Shard())
    }

    private static let shardCount = 16
    /// What a summary takes, its share of the table included.
    private static let summaryByteCount = 160
    private let shards: [Box]
    /// What one of the two generations of a shard may take.
    private let generationByteCountMax: Int
    private let subjects = Mutex<[AnyHashable: UInt32]>([:])

    /// - Parameter byteCountMax: what all that is kept may take; 0 for nothing.
    init(byteCountMax: Int) {
        shards = (0..<Self.shardCount).map { _ in Box() }
        generationByteCountMax = byteCountMax / (2 * Self.shardCount)
    }

    /// Whether anything is kept.
    var isUsed: Bool { generationByteCountMax > 0 }

    /// A number for what is said of nodes.
    func number<Subject: Hashable & Sendable>(of subject: Subject) -> UInt32 {
        subjects.withLock { subjects in
            let subject = AnyHashable(subject)
            if let known = subjects[subject] { return known }
            // Conditions come and go; what has no number any more is found by nobody.
            if subjects.count >= 4096 { subjects.removeAll() }
            nextNumber += 1
            subjects[subject] = nextNumber
            return nextNumber
        }
    }

    /// Guarded by `subjects`.
    nonisolated(unsafe) private var nextNumber: UInt32 = 0

    private func shard(_ node: NodeIdentity) -> Box {
        let bits = node.reference >> 11 ^ node.reference >> 17 ^ node.stamp
        return shards[Int(truncatingIfNeeded: bits) & (Self.shardCount - 1)]
    }

    func column(_ key: Key) -> Column? {
        shard(key.node).shard.withLock { shard in
            if let found = shard.current.columns[key] { return found }
            guard !shard.previous.columns.isEmpty,
                let found = shard.previous.columns.removeValue(forKey: key)
            else { return nil }
            add(found.byteCount, &shard)
            shard.current.columns[key] = found
            return found
        }
    }

    func keep(_ column: Column, _ key: Key) {
        if column.byteCount > generationByteCountMax { return }
        shard(key.node).shard.withLock { shard in
            add(column.byteCount, &shard)
            shard.current.columns[key] = column
        }
    }

    func summary(_ key: Key) -> Summary? {
        shard(key.node).shard.withLock { shard in
            if let found = shard.current.summaries[key] { return found }
            guard !shard.previous.summaries.isEmpty,
                let found = shard.previous.summaries.removeValue(forKey: key)
            else { return nil }
            add(Self.summaryByteCount, &shard)
            shard.current.summaries[key] = found
            return found
        }
    }

    func keep(_ summary: Summary, _ key: Key) {
        if Self.summaryByteCount > generationByteCountMax { return }
        shard(key.node).shard.withLock { shard in
            add(Self.summaryByteCount, &shard)
            shard.current.summaries[key] = summary
        }
    }

    private func add(_ byteCount: Int, _ shard: inout Shard) {
        if shard.byteCount + byteCount > generationByteCountMax {
            shard.previous = shard.current
            shard.current = Generation()
            shard.byteCount = 0
        }
        shard.byteCount += byteCount
    }

    /// What all that is kept takes, about.
    var byteCount: Int {
        shards.reduce(0) { sum, box in
            sum
                + box.shard.withLock { shard in
                    [shard.current, shard.previous].reduce(0) { sum, generation in
                        generation.columns.values.reduce(sum) { $0 + $1.byteCount }
                            + generation.summaries.count * Self.summaryByteCount
                    }
                }
        }
    }
}
