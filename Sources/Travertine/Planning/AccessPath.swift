import OrderedIndex
import TravertineStore

/// A way to find the keys of objects among which all matches of a condition are.
///
/// What it costs and how many keys it finds are estimates as of when it was planned.
struct AccessPath {
    indirect enum Kind {
        /// No object can match.
        case nothing
        case ranges(IndexRanges)
        /// The objects that one of the paths finds.
        case union([AccessPath])
        /// The objects that all of the paths find.
        case intersection([AccessPath])
        case words(FullTextSearch)
        case places(PlaceSearch)
        case links(LinkSearch)
    }

    var kind: Kind
    var count: KeyCount
    /// Finding the keys, in `PlanCost`'s unit; not the rows.
    var cost: Double
    /// Whether it finds the objects that the condition matches and no others.
    var isExact: Bool

    static var nothing: AccessPath {
        AccessPath(
            kind: .nothing, count: KeyCount(count: 0, isExact: true), cost: 0, isExact: true)
    }

    init(kind: Kind, count: KeyCount, cost: Double, isExact: Bool) {
        self.kind = kind
        self.count = count
        self.cost = cost
        self.isExact = isExact
    }

    /// The path along the ranges of an index.
    init(_ ranges: IndexRanges, _ access: ReadAccess) throws(StoreError) {
        if ranges.isEmpty {
            self = .nothing
            return
        }
        if let keys = ranges.objectKeys {
            self.init(
                kind: .ranges(ranges), count: KeyCount(count: keys.count, isExact: false),
                cost: PlanCost.entry * Double(keys.count), isExact: ranges.isExact)
            return
        }
        let count = try ranges.count(access)
        let entries = Double(count.count)
        self.init(
            kind: .ranges(ranges), count: count,
            cost: PlanCost.seek * Double(ranges.ranges.count) + PlanCost.entry * entries
                + (ranges.isOrdered ? 0 : PlanCost.sorting(entries)), isExact: ranges.isExact)
    }

    /// The path of several of which one must hold.
    init(union parts: [AccessPath], rowCount: Int) {
        let sum = parts.reduce(0) { $0 + $1.count.count }
        let isEmptyOrOne = parts.filter { $0.count != KeyCount(count: 0, isExact: true) }.count < 2
        self.init(
            kind: .union(parts),
            count: KeyCount(
                count: min(sum, rowCount),
                isExact: isEmptyOrOne && parts.allSatisfy(\.count.isExact)),
            cost: parts.reduce(0) { $0 + $1.cost } + PlanCost.sorting(Double(sum)),
            isExact: parts.allSatisfy(\.isExact))
    }

    /// Whether each key that it finds is that of a row; keys that the condition gives need not be
    /// (P-Q9).
    var findsRowsOnly: Bool {
        switch kind {
        case .ranges(let ranges): ranges.objectKeys == nil
        case .union(let parts): parts.allSatisfy(\.findsRowsOnly)
        case .intersection(let parts): parts.contains(where: \.findsRowsOnly)
        case .nothing, .words, .places, .links: true
        }
    }

    /// What it costs to find the objects and to read their rows.
    func totalCost(rowCount: Int) -> Double {
        cost + Double(count.count) * PlanCost.lookup(amongRows: rowCount)
    }
}

/// A search for objects whose links lead to objects that are found first.
struct LinkSearch {
    /// How the linked objects are found.
    indirect enum Targets {
        case keys([UInt64])
        case path(AccessPath)
        /// The property is read in every row of the target's table.
        case rows(IndexRanges)
    }

    struct Hop {
        let slot: Int
        let backlinks: KeyspaceID
        /// The type of the target, where entries begin with it.
        let type: UInt32?
        /// The table of the objects that link.
        let table: TableState
    }

    /// The links, from the objects that are looked for to the targets.
    let hops: [Hop]
    let target: TableState
    let targets: Targets
    /// The last property, if the condition is on one of the target's.
    let slot: Int?
    let values: AllowedValues?
}
