import Locks
import OrderedIndex

/// What was computed from the rows of committed nodes, for all threads of a process: columns of
/// leaves, and summaries of nodes above them.
///
/// It is kept by the identity of the node (`NodeIdentity`), and a committed node never changes, so
/// that nothing ever becomes wrong. Only what is a function of the node's own rows and of what its key
/// says may be kept (N1, N2).
///
/// What is not used while a budget's half is filled goes: each shard has two generations. The column
/// of a node replaces that of an earlier node in the same memory, so that commits alone do not fill
/// the budget with columns of nodes that were freed.
final class ColumnCache: Sendable {
    /// The values of a property in the rows of a leaf.
    struct Key: Sendable {
        let node: NodeIdentity
        let subject: UInt32
    }

    /// A key without the stamp: of the nodes that have one reference only the last is in use.
    private struct Place: Hashable, Sendable {
        let reference: UInt64
        let subject: UInt32

        init(_ key: Key) {
            reference = key.node.reference
            subject = key.subject
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(reference ^ UInt64(subject) << 48)
        }
    }

    private struct Entry: Sendable {
        let stamp: UInt64
        let column: LeafColumn
    }

    private struct Shard: Sendable {
        var current: [Place: Entry] = [:]
        var previous: [Place: Entry] = [:]
        /// What the current generation takes.
        var byteCount = 0
    }

    private final class Box: Sendable {
        let shard = Locked(Shard())
    }

    /// Numbers that stand for subjects in keys.
    private struct Numbers: Sendable {
        var numbers: [ColumnSubject: UInt32] = [:]
        var next: UInt32 = 0
        var byteCount = 0
    }

    private static let shardCount = 16
    private let shards: [Box]
    /// What one of the two generations of a shard may take.
    private let generationByteCountMax: Int
    let byteCountMax: Int
    private let numbers = Locked(Numbers())
    private let numbersByteCountMax: Int
    /// What nodes above the leaves amount to.
    let summaries: SummaryCache

    /// - Parameter byteCountMax: what all that is kept may take; 0 for nothing.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
        shards = (0..<Self.shardCount).map { _ in Box() }
        numbersByteCountMax = byteCountMax / 32
        let summariesByteCountMax = byteCountMax / 4
        summaries = SummaryCache(byteCountMax: summariesByteCountMax)
        generationByteCountMax =
            (byteCountMax - summariesByteCountMax - numbersByteCountMax) / (2 * Self.shardCount)
    }

    /// Whether anything is kept.
    var isUsed: Bool { generationByteCountMax > 0 }

    /// A number for a subject. There are few; if schemas changed so often that they take too much,
    /// all get new numbers, and columns under the former ones are found by nobody.
    func number(of subject: ColumnSubject) -> UInt32 {
        numbers.withLock { state in
            if let known = state.numbers[subject] { return known }
            if state.byteCount + subject.byteCount > numbersByteCountMax {
                state.numbers = [:]
                state.byteCount = 0
            }
            state.next += 1
            if subject.byteCount <= numbersByteCountMax {
                state.numbers[subject] = state.next
                state.byteCount += subject.byteCount
            }
            return state.next
        }
    }

    private func shard(_ reference: UInt64) -> Box {
        // The low bits of a page's reference are its number; those of a node in memory are zero.
        let bits = reference ^ reference >> 11 ^ reference >> 17
        return shards[Int(truncatingIfNeeded: bits) & (Self.shardCount - 1)]
    }

    func column(_ key: Key) -> LeafColumn? {
        let place = Place(key)
        return shard(place.reference).shard.withLock { shard in
            if let found = shard.current[place] {
                return found.stamp == key.node.stamp ? found.column : nil
            }
            guard !shard.previous.isEmpty, let found = shard.previous.removeValue(forKey: place),
                found.stamp == key.node.stamp
            else { return nil }
            add(found, place, &shard)
            return found.column
        }
    }

    func keep(_ column: LeafColumn, _ key: Key) {
        if column.byteCount > generationByteCountMax { return }
        let place = Place(key)
        shard(place.reference).shard.withLock { shard in
            shard.previous[place] = nil
            if let former = shard.current.removeValue(forKey: place) {
                shard.byteCount -= former.column.byteCount
            }
            add(Entry(stamp: key.node.stamp, column: column), place, &shard)
        }
    }

    private func add(_ entry: Entry, _ place: Place, _ shard: inout Shard) {
        let byteCount = entry.column.byteCount
        if shard.byteCount + byteCount > generationByteCountMax {
            shard.previous = shard.current
            shard.current = [:]
            shard.byteCount = 0
        }
        shard.current[place] = entry
        shard.byteCount += byteCount
    }

    /// What all that is kept takes, about.
    var byteCount: Int {
        valuesByteCount + summaries.seenByteCount + numbers.withLock(\.byteCount)
    }

    /// What columns and summaries take, without what says which of them are wanted.
    var valuesByteCount: Int {
        shards.reduce(summaries.byteCount) { sum, box in
            sum
                + box.shard.withLock { shard in
                    [shard.current, shard.previous].reduce(0) { sum, generation in
                        generation.values.reduce(sum) { $0 + $1.column.byteCount }
                    }
                }
        }
    }

    /// How many columns are kept.
    var columnCount: Int {
        shards.reduce(0) { sum, box in
            sum + box.shard.withLock { $0.current.count + $0.previous.count }
        }
    }
}
