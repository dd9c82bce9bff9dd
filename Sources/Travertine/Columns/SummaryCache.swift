import Locks
import TravertineStore

/// What summaries are of.
enum SummarySubject: Hashable, Sendable {
    /// The rows themselves.
    case rows
    case property(ColumnSubject)
    case condition(ColumnCondition, of: [ColumnSubject])
    /// How many links lead to objects; of a keyspace of backlinks.
    case links(LinkCountComparison)

    /// What it takes in memory, about.
    fileprivate var byteCount: Int {
        switch self {
        case .rows, .links: 64
        case .property(let subject): 64 + subject.byteCount
        case .condition(let condition, let subjects):
            64 + condition.byteCount + subjects.reduce(0) { $0 + $1.byteCount }
        }
    }
}

/// The trees of summaries that were used last, for all threads of a process: for each subject that of
/// one version, from which those of others are made.
///
/// They are kept in two generations, as columns are (`ColumnCache`). Conditions mostly come once:
/// what one amounts to is kept when it is asked for the second time.
final class SummaryCache: Sendable {
    private struct Key: Hashable {
        let keyspace: KeyspaceID
        let subject: SummarySubject
    }

    private struct Entry {
        let tree: AnyObject & Sendable
        let byteCount: Int
    }

    private struct Generation {
        var entries: [Key: Entry] = [:]
        var byteCount = 0
    }

    private struct State {
        var current = Generation()
        var previous = Generation()
        /// The hashes of conditions that came once.
        var seen: Set<Int> = []
        var seenBefore: Set<Int> = []
    }

    private let generationByteCountMax: Int
    private let seenCountMax: Int
    private static let seenByteCount = 32
    private let state = Locked(State())

    init(byteCountMax: Int) {
        let seenByteCount = min(byteCountMax / 8, 2048 * Self.seenByteCount)
        seenCountMax = seenByteCount / (2 * Self.seenByteCount)
        generationByteCountMax = (byteCountMax - seenByteCount) / 2
    }

    /// The largest tree that is kept.
    var treeByteCountMax: Int { generationByteCountMax / 2 }

    /// The tree of a subject as of some version.
    func tree<Summary: NodeSummary>(
        _ subject: SummarySubject, in keyspace: KeyspaceID, _: Summary.Type
    ) -> SummaryNode<Summary>? {
        let key = Key(keyspace: keyspace, subject: subject)
        return state.withLock { state in
            if let entry = state.current.entries[key] {
                return entry.tree as? SummaryNode<Summary>
            }
            guard let entry = state.previous.entries.removeValue(forKey: key) else { return nil }
            state.previous.byteCount -= entry.byteCount
            add(entry, key, &state)
            return entry.tree as? SummaryNode<Summary>
        }
    }

    func keep<Summary: NodeSummary>(
        _ tree: SummaryNode<Summary>, _ subject: SummarySubject, in keyspace: KeyspaceID
    ) {
        let entry = Entry(tree: tree, byteCount: tree.byteCount + subject.byteCount)
        if entry.byteCount > treeByteCountMax { return }
        state.withLock { state in
            add(entry, Key(keyspace: keyspace, subject: subject), &state)
        }
    }

    private func add(_ entry: Entry, _ key: Key, _ state: inout State) {
        if let former = state.current.entries.removeValue(forKey: key) {
            state.current.byteCount -= former.byteCount
        }
        if state.current.byteCount + entry.byteCount > generationByteCountMax {
            state.previous = state.current
            state.current = Generation()
        }
        state.current.entries[key] = entry
        state.current.byteCount += entry.byteCount
    }

    /// Whether a subject came before; another one with the same hash is taken for it, which keeps
    /// something too early.
    func isSeen(_ subject: SummarySubject, in keyspace: KeyspaceID) -> Bool {
        let hash = Key(keyspace: keyspace, subject: subject).hashValue
        return state.withLock { state in
            if state.seen.contains(hash) || state.seenBefore.contains(hash) { return true }
            if state.seen.count >= seenCountMax {
                state.seenBefore = state.seen
                state.seen = []
            }
            if seenCountMax > 0 { state.seen.insert(hash) }
            return false
        }
    }

    /// What the trees take, about.
    var byteCount: Int {
        state.withLock { $0.current.byteCount + $0.previous.byteCount }
    }

    /// What takes the hashes of conditions that came once.
    var seenByteCount: Int {
        state.withLock { ($0.seen.count + $0.seenBefore.count) * Self.seenByteCount }
    }
}
