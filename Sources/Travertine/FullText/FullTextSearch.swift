import OrderedIndex
import TravertineStore

/// A search of a full-text index for objects among which all are whose text has what a query says.
struct FullTextSearch {
    /// What the index is asked; everything that it finds is a superset of what the part of the
    /// query finds.
    indirect enum Node {
        case token(FullTextPattern.Unit, Frequency)
        /// All of the first, and none of the others, which find exactly what their parts do.
        case all([Node], without: [Node])
        case any([Node])
    }

    /// How often a token is in the index, as far as planning looks.
    struct Frequency {
        /// About how many entries it has.
        var entries: KeyCount
        /// How many objects each of them has, 1 to 16.
        var objectsPerEntry: Double
    }

    let index: FullTextIndex
    let slot: Int
    let node: Node
    /// Whether it finds the objects that the query finds and no others.
    let isExact: Bool
    /// About how many objects it finds.
    let count: KeyCount
    /// What it costs, in `PlanCost`'s unit.
    let cost: Double
    /// What it looks for, as plans print it.
    let title: String

    /// How many times as many entries of a token there must be as blocks that are left, for them
    /// to be looked up one by one.
    private static let lookUpFactor = 16

    // MARK: Finding

    /// The keys of the objects, in ascending order.
    func keys(_ access: ReadAccess) throws -> [UInt64] { try objects(access).keys }

    func objects(_ access: ReadAccess) throws -> ObjectBlocks { try objects(node, access) }

    private func objects(_ node: Node, _ access: ReadAccess) throws -> ObjectBlocks {
        switch node {
        case .token(let unit, _): return ObjectBlocks(try index.postings(of: unit, access))
        case .any(let parts):
            var found = ObjectBlocks()
            for part in parts { found = found.union(try objects(part, access)) }
            return found
        case .all(let parts, let without):
            // The rarest one first: the others only take objects out.
            var found: ObjectBlocks?
            for part in parts.sorted(by: { $0.entryCount < $1.entryCount }) {
                guard let before = found else {
                    found = try objects(part, access)
                    continue
                }
                if before.isEmpty { return before }
                if case .token(let unit, let frequency) = part, !unit.isPrefix,
                    before.firsts.count < frequency.entries.count / Self.lookUpFactor
                {
                    found = try index.objects(in: before, with: unit, access)
                } else {
                    found = before.intersection(try objects(part, access))
                }
            }
            var rest = found ?? ObjectBlocks()
            for part in without where !rest.isEmpty {
                if case .token(let unit, let frequency) = part, !unit.isPrefix,
                    rest.firsts.count < frequency.entries.count / Self.lookUpFactor
                {
                    rest = rest.subtracting(
                        try index.objects(in: rest, with: unit, access))
                } else {
                    rest = rest.subtracting(try objects(part, access))
                }
            }
            return rest
        }
    }
}

extension FullTextSearch.Node {
    /// About how many entries it reads.
    var entryCount: Int {
        switch self {
        case .token(_, let frequency): frequency.entries.count
        case .any(let parts): parts.reduce(0) { $0 + $1.entryCount }
        case .all(let parts, _): parts.map(\.entryCount).min() ?? 0
        }
    }
}
