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
        /// In the order of the changes; they are made backwards.
        var steps: [UndoStep]
    }

    private(set) var commits: [Commit] = []
    private var count = 0

    /// How many commits are remembered.
    static let commitCount = 50

    /// Remembers what undoes a commit. Without, nothing before it can be undone either.
    mutating func add(changeCount: Int, _ steps: [UndoStep]?) {
        count += 1
        guard let steps else {
            commits = []
            return
        }
        commits.append(Commit(number: count, changeCount: changeCount, steps: steps))
        if commits.count > Self.commitCount { commits.removeFirst() }
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
