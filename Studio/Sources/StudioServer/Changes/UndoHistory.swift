import Travertine

/// What undoes one change.
enum UndoStep {
    /// A property gets the value back that it had.
    case set(ObjectAddress, property: String, KeptValue)
    /// An object that was added is deleted.
    case delete(ObjectAddress)
    /// An object that was deleted is added again.
    case restore(ObjectAddress, [(name: String, value: KeptValue)])

    /// The objects without which the step can't be made.
    var addresses: [ObjectAddress] {
        switch self {
        case .set(let address, _, let value): [address] + value.addresses
        case .delete(let address): [address]
        case .restore(let address, let values): [address] + values.flatMap { $0.value.addresses }
        }
    }
}

/// The commits of the page that can be undone, the last one first.
///
/// The program is the only one that writes, so nothing can have changed since the last commit.
struct UndoHistory {
    /// What undoes one commit.
    struct Commit {
        var number: Int
        var changeCount: Int
        /// How many values and bytes the steps have.
        var valueCount: Int
        var byteCount: Int
        /// In the order of the changes; they are made backwards.
        var steps: [UndoStep]
    }

    private(set) var commits: [Commit] = []
    private var count = 0

    /// How many commits are remembered, and how many values and bytes they have together.
    static let commitCount = 50
    private static let valueLimit = 4 * ValueKeeper.valueLimit
    private static let byteLimit = 2 * ValueKeeper.byteLimit

    /// Remembers what undoes a commit, and forgets the oldest ones if there are too many.
    mutating func add(changeCount: Int, _ steps: [UndoStep], _ keeper: ValueKeeper) {
        count += 1
        commits.append(
            Commit(
                number: count, changeCount: changeCount,
                valueCount: ValueKeeper.valueLimit - keeper.valueCount,
                byteCount: ValueKeeper.byteLimit - keeper.byteCount, steps: steps))
        while commits.count > Self.commitCount
            || commits.reduce(0, { $0 + $1.valueCount }) > Self.valueLimit
            || commits.reduce(0, { $0 + $1.byteCount }) > Self.byteLimit
        { commits.removeFirst() }
    }

    /// After what can't be undone, nothing before it can be either.
    mutating func forget() {
        count += 1
        commits = []
    }

    mutating func removeLast() { commits.removeLast() }

    /// The commit that is undone next; null for none.
    var json: JSON {
        guard let last = commits.last else { return .null }
        return .object([
            ("number", .number(last.number)), ("changes", .number(last.changeCount)),
        ])
    }

    /// Numbers of objects without a primary key that commits refer to.
    var numbers: Set<UInt64> {
        Set(
            commits.lazy.flatMap(\.steps).flatMap(\.addresses)
                .compactMap { $0.id.hasPrefix("@") ? UInt64($0.id.dropFirst()) : nil })
    }
}
