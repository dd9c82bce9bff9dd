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
        /// Those of the candidates, found exactly, in whose texts units are where a part says.
        case placed(candidates: Node, PlacedPart)
    }

    /// A phrase or `NEAR`, which an index with positions finds exactly.
    struct PlacedPart {
        let pattern: FullTextPattern
        let node: FullTextPattern.Node
        /// Its units, each once, with their frequencies.
        let units: [(unit: Int, frequency: Frequency)]
    }

    /// How often a token is in the index, as far as planning looks.
    struct Frequency {
        /// About how many entries it has.
        var entries: KeyCount
        /// How many objects each of them has.
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
    /// to be looked up one by one: an entry of many objects takes as long as going to it.
    private var lookUpFactor: Int { index.hasPositions ? 2 : 16 }

    // MARK: Finding

    /// The keys of the objects, in ascending order.
    func keys(_ access: ReadAccess) throws -> [UInt64] { try objects(access).keys }

    func objects(_ access: ReadAccess) throws -> ObjectBlocks {
        try objects(node, within: nil, access)
    }

    /// What a part finds; of a set, if there is one.
    private func objects(
        _ node: Node, within set: ObjectBlocks?, _ access: ReadAccess
    ) throws -> ObjectBlocks {
        if let set, set.isEmpty { return set }
        switch node {
        case .token(let unit, let frequency):
            guard let set else { return ObjectBlocks(try index.postings(of: unit, access)) }
            if !unit.isPrefix, isRare(set, beside: frequency) {
                return try index.objects(in: set, with: unit, access)
            }
            return set.intersection(ObjectBlocks(try index.postings(of: unit, access)))
        case .any(let parts):
            var found = ObjectBlocks()
            for part in parts {
                found = found.union(try objects(part, within: set, access))
            }
            return found
        case .all(let parts, let without):
            // The rarest one first: the others only take objects out.
            var found = set
            for part in parts.sorted(by: { $0.readCount < $1.readCount }) {
                found = try objects(part, within: found, access)
            }
            var rest = found ?? ObjectBlocks()
            for part in without where !rest.isEmpty {
                rest = rest.subtracting(try objects(part, within: rest, access))
            }
            return rest
        case .placed(let candidates, let part):
            return try matches(
                part, among: try objects(candidates, within: set, access), access)
        }
    }

    /// Whether the entries of a token are looked up block by block.
    private func isRare(_ set: ObjectBlocks, beside frequency: Frequency) -> Bool {
        set.firsts.count < frequency.entries.count / lookUpFactor
    }

    /// The most blocks of candidates whose positions are in memory at once.
    static let placedBlockCountMax = 8192

    /// The objects in whose texts units are where a part says.
    private func matches(
        _ part: PlacedPart, among candidates: ObjectBlocks, _ access: ReadAccess
    ) throws -> ObjectBlocks {
        let matcher = FullTextMatcher(part.pattern)
        var found = ObjectBlocks()
        let count = candidates.firsts.count
        for start in stride(from: 0, to: count, by: Self.placedBlockCountMax) {
            let end = min(start + Self.placedBlockCountMax, count)
            let some = end - start < count ? candidates.part(start..<end) : candidates
            let lists = try part.units.map { unit, frequency in
                let isSparse = end - start < count || isRare(some, beside: frequency)
                let positions = try index.positions(
                    of: part.pattern.units[unit], in: some, isSparse: isSparse, access)
                return (unit: unit, positions: positions)
            }
            var place = -1
            let matches = some.filter { _ in
                place += 1
                return matcher.matches(part.node, lists, at: place)
            }
            found.append(matches)
        }
        return found
    }
}

extension FullTextSearch.Node {
    /// About how many entries it reads.
    var entryCount: Int {
        switch self {
        case .token(_, let frequency): frequency.entries.count
        case .any(let parts): parts.reduce(0) { $0 + $1.entryCount }
        case .all(let parts, _): parts.map(\.entryCount).min() ?? 0
        case .placed(let candidates, _): candidates.entryCount
        }
    }

    /// About how many objects it reads; of phrases and `NEAR`, which are best left with few
    /// candidates, more than of anything else.
    fileprivate var readCount: Double {
        switch self {
        case .token(_, let frequency):
            Double(frequency.entries.count) * frequency.objectsPerEntry
        case .any(let parts): parts.reduce(0) { $0 + $1.readCount }
        case .all(let parts, _): parts.map(\.readCount).min() ?? 0
        case .placed(let candidates, _): 1e18 + candidates.readCount
        }
    }
}
