import TravertineStore

/// The matches of a full-text query in the order of their scores, as of one generation of the
/// realm.
final class Ranking {
    struct Match {
        let row: FoundRow
        let score: Double
    }

    /// How much repeated occurrences of a word count (W8).
    static let k1 = 1.2
    /// How much the length of the text counts (W8).
    static let b = 0.75

    private let state: ResultsState
    private let names: [String]
    /// By property: what its score is multiplied by.
    private let weights: [Double]
    private let query: FullTextQuery
    private let limit: Int?
    private var found: [Match]?

    init(
        _ state: ResultsState, _ names: [String], _ weights: [Double], _ query: FullTextQuery,
        limit: Int?
    ) {
        self.state = state
        self.names = names
        self.weights = weights
        self.query = query
        self.limit = limit
    }

    /// The matches, found again if the realm changed.
    func matches() throws -> [Match] {
        if let found, state.isCurrent { return found }
        found = nil
        let matches = try rank()
        found = matches
        return matches
    }

    private func rank() throws -> [Match] {
        if limit == 0 {
            _ = try state.all()
            return []
        }
        // Before any row is found: rows of the transaction may lie elsewhere after it.
        try state.session.flushPostings()
        let rows = try state.all()
        if rows.isEmpty { return [] }
        let tables = state.tables
        let properties = try names.map {
            try RankedProperty($0, query, tables, rowCount: rows.count)
        }
        var best = BestScores(limit ?? .max)
        for (position, row) in rows.enumerated() {
            var score = 0.0
            for (property, weight) in zip(properties, weights) where weight > 0 {
                score += weight * (try property.score(of: row))
            }
            best.add(score, position)
        }
        return best.sorted.map { Match(row: rows[$0.position], score: $0.score) }
    }
}

/// The greatest scores, at most so many; of equal ones those that were added first.
struct BestScores {
    struct Item {
        let score: Double
        let position: Int

        @inline(__always)
        func isBetter(than other: Item) -> Bool {
            score > other.score || (score == other.score && position < other.position)
        }
    }

    private let countMax: Int
    /// With a limit, a heap whose root is the worst item.
    private var items: [Item] = []

    init(_ countMax: Int) { self.countMax = countMax }

    var sorted: [Item] { items.sorted { $0.isBetter(than: $1) } }

    mutating func add(_ score: Double, _ position: Int) {
        let item = Item(score: score, position: position)
        if items.count < countMax {
            items.append(item)
            if countMax < .max { siftUp() }
        } else if let worst = items.first, item.isBetter(than: worst) {
            items[0] = item
            siftDown()
        }
    }

    private mutating func siftUp() {
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard items[parent].isBetter(than: items[child]) else { return }
            items.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
                if items[worst].isBetter(than: items[child]) { worst = child }
            }
            if worst == parent { return }
            items.swapAt(parent, worst)
            parent = worst
        }
    }
}
