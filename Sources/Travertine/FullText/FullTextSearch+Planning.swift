import OrderedIndex
import TravertineStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which entries of an index a search reads, and how many objects it may find.
extension FullTextSearch {
    /// The search for what a pattern says; nil if the index does not narrow it down, as where all
    /// is negated.
    init?(
        _ pattern: FullTextPattern, _ index: FullTextIndex, slot: Int, rowCount: Int,
        _ access: ReadAccess
    ) throws {
        guard let root = pattern.root else { return nil }
        var maker = Maker(pattern: pattern, index: index, access: access)
        guard let made = try maker.make(root) else { return nil }
        self.init(made, index, slot, rowCount)
    }

    /// The search for texts with all of some parts in them, in an index of trigrams; nil if none of
    /// them has three characters.
    init?(
        parts: [String], _ index: FullTextIndex, slot: Int, rowCount: Int, _ access: ReadAccess
    ) throws {
        var tokens: Set<FullTextPattern.Unit> = []
        var scanner = TokenScanner(.trigrams)
        for var part in parts {
            part.withUTF8 { bytes in
                scanner.forEachToken(of: UnsafeRawBufferPointer(bytes)) {
                    tokens.insert(FullTextPattern.Unit(bytes: Array($0)))
                }
            }
        }
        let nodes = try Maker.rarest(
            tokens.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }, index, access)
        guard let node = Maker.joined(nodes) else { return nil }
        self.init((node, false), index, slot, rowCount)
    }

    private init(
        _ made: (node: Node, isExact: Bool), _ index: FullTextIndex, _ slot: Int, _ rowCount: Int
    ) {
        let estimate = Self.objectCount(made.node, rowCount)
        self.init(
            index: index, slot: slot, node: made.node, isExact: made.isExact,
            count: KeyCount(
                count: min(rowCount, Int(estimate.rounded(.up))), isExact: estimate == 0),
            cost: Self.cost(made.node), title: Self.title(made.node))
    }

    /// About how many objects a part finds: by the number of a token's entries, and by how many
    /// objects its first ones have. The words with one beginning may be in the same texts.
    private static func objectCount(_ node: Node, _ rowCount: Int) -> Double {
        let all = Double(max(1, rowCount))
        switch node {
        case .token(let unit, let frequency):
            let entries = frequency.entries
            if entries.count == 0 { return entries.isExact ? 0 : 1 }
            let sum = Double(entries.count) * frequency.objectsPerEntry
            return max(1, unit.isPrefix ? all * (1 - exp(-sum / all)) : min(all, sum))
        case .any(let parts):
            return min(Double(rowCount), parts.reduce(0) { $0 + objectCount($1, rowCount) })
        case .all(let parts, _):
            // Words that are looked for together are often found together: from the rarest one on,
            // each counts half as much as the one before.
            let found = parts.map { objectCount($0, rowCount) }.sorted()
            if found.first == 0 { return 0 }
            var count = all
            var exponent = 1.0
            for part in found {
                count *= pow(part / all, exponent)
                exponent /= 2
            }
            return max(1, count)
        case .placed(let candidates, _): return objectCount(candidates, rowCount)
        }
    }

    /// The objects of an entry that are read as fast as an entry of one number.
    private static let objectsPerNumber = 16.0

    private static func cost(_ node: Node) -> Double {
        switch node {
        case .token(_, let frequency):
            // One of a single number, or of one for each of its objects.
            PlanCost.seek + PlanCost.entry * Double(frequency.entries.count)
                * max(1, frequency.objectsPerEntry / objectsPerNumber)
        case .any(let parts): parts.reduce(0) { $0 + cost($1) }
        case .all(let parts, let without): (parts + without).reduce(0) { $0 + cost($1) }
        case .placed(let candidates, _): 3 * cost(candidates)
        }
    }

    private static func title(_ node: Node) -> String {
        switch node {
        case .token(let unit, _):
            String(decoding: unit.bytes, as: UTF8.self) + (unit.isPrefix ? "*" : "")
        case .any(let parts): "(" + parts.map { title($0) }.joined(separator: " OR ") + ")"
        case .all(let parts, let without):
            (parts.map { title($0) }.sorted() + without.map { "-" + title($0) }.sorted())
                .joined(separator: ", ")
        case .placed(_, let part): part.title
        }
    }

    /// Makes searches of the parts of a pattern.
    private struct Maker {
        let pattern: FullTextPattern
        let index: FullTextIndex
        let access: ReadAccess
        /// The most trigrams of a phrase that are looked up: the others take hardly an object out.
        static let trigramCountMax = 8

        mutating func make(
            _ node: FullTextPattern.Node
        ) throws -> (node: Node, isExact: Bool)? {
            switch node {
            case .unit(let unit): return try make(phrase: [unit])
            case .phrase(let units): return try make(phrase: units)
            case .near(let phrases, _) where index.hasPositions:
                return try placed(node, phrases.flatMap(\.self))
            case .near(let phrases, _):
                let nodes = try phrases.compactMap { try make(phrase: $0)?.node }
                return Maker.joined(nodes).map { ($0, false) }
            case .not: return nil
            case .all(let parts): return try make(all: parts)
            case .any(let parts):
                var nodes: [Node] = []
                var isExact = true
                for part in parts {
                    guard let made = try make(part) else { return nil }
                    nodes.append(made.node)
                    isExact = isExact && made.isExact
                }
                return (.any(nodes), isExact)
            }
        }

        private mutating func make(
            all parts: [FullTextPattern.Node]
        ) throws -> (node: Node, isExact: Bool)? {
            var nodes: [Node] = []
            var without: [Node] = []
            var isExact = true
            for part in parts {
                if case .not(let negated) = part {
                    if let made = try make(negated), made.isExact {
                        without.append(made.node)
                    } else {
                        isExact = false
                    }
                } else if let made = try make(part) {
                    nodes.append(made.node)
                    isExact = isExact && made.isExact
                } else {
                    isExact = false
                }
            }
            if without.isEmpty { return Maker.joined(nodes).map { ($0, isExact) } }
            return nodes.isEmpty ? nil : (.all(nodes, without: without), isExact)
        }

        private func make(phrase: [Int]) throws -> (node: Node, isExact: Bool)? {
            guard index.tokenizer == .trigrams else {
                if index.hasPositions, phrase.count > 1 {
                    return try placed(.phrase(phrase), phrase)
                }
                let nodes = try Set(phrase).sorted().map { try token(pattern.units[$0]) }
                return Maker.joined(nodes).map { ($0, phrase.count == 1) }
            }
            var tokens: Set<FullTextPattern.Unit> = []
            pattern.forEachTrigram(of: phrase) {
                tokens.insert(FullTextPattern.Unit(bytes: $0))
            }
            let nodes = try Maker.rarest(
                tokens.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }, index, access)
            return Maker.joined(nodes).map {
                ($0, phrase.count == FullTextTokenizer.trigramUnitCount)
            }
        }

        /// A search for what depends on where units are, by an index with positions.
        private func placed(
            _ node: FullTextPattern.Node, _ units: [Int]
        ) throws -> (node: Node, isExact: Bool)? {
            let units = try Set(units).sorted().map {
                (unit: $0, frequency: try index.frequency(of: pattern.units[$0], access))
            }
            let tokens = units.map { Node.token(pattern.units[$0.unit], $0.frequency) }
            let part = FullTextSearch.PlacedPart(pattern: pattern, node: node, units: units)
            return Maker.joined(tokens).map { (.placed(candidates: $0, part), true) }
        }

        private func token(_ unit: FullTextPattern.Unit) throws -> Node {
            .token(unit, try index.frequency(of: unit, access))
        }

        static func joined(_ nodes: [Node]) -> Node? {
            nodes.count < 2 ? nodes.first : .all(nodes, without: [])
        }

        /// The searches for the trigrams with the fewest entries.
        static func rarest(
            _ units: [FullTextPattern.Unit], _ index: FullTextIndex, _ access: ReadAccess
        ) throws -> [Node] {
            let nodes = try units.map { unit in
                Node.token(unit, try index.frequency(of: unit, access))
            }
            return Array(nodes.sorted { $0.entryCount < $1.entryCount }.prefix(trigramCountMax))
        }
    }
}

extension FullTextSearch.PlacedPart {
    /// What it looks for, as plans print it.
    fileprivate var title: String {
        func text(_ units: [Int]) -> String {
            units.map { unit in
                let unit = pattern.units[unit]
                return String(decoding: unit.bytes, as: UTF8.self) + (unit.isPrefix ? "*" : "")
            }.joined(separator: " ")
        }
        guard case .near(let phrases, let distance) = node else {
            if case .phrase(let units) = node { return "\"\(text(units))\"" }
            return ""
        }
        return "NEAR(\(phrases.map { "\"\(text($0))\"" }.joined(separator: " ")), \(distance))"
    }
}
