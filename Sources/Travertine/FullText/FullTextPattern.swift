/// A full-text query as one tokenizer reads it: its terms divided into units.
///
/// Terms without units are left out (W2).
struct FullTextPattern {
    /// What a unit of a text is compared with.
    struct Unit: Hashable {
        var bytes: [UInt8]
        /// Whether every unit that begins so is one.
        var isPrefix = false
    }

    /// Units by their positions in `units`.
    indirect enum Node {
        case unit(Int)
        /// Units that follow one another.
        case phrase([Int])
        /// Phrases that are close to one another.
        case near([[Int]], distance: Int)
        case not(Node)
        case all([Node])
        case any([Node])
    }

    let tokenizer: FullTextTokenizer
    /// Different units, in no order.
    private(set) var units: [Unit] = []
    /// Nil if no term has a unit: then nothing is found.
    private(set) var root: Node?
    /// Whether something depends on where units are.
    private(set) var needsPositions = false

    private var positions: [Unit: Int] = [:]
    private var scanner: TokenScanner

    init(_ query: FullTextQuery, _ tokenizer: FullTextTokenizer) {
        self.tokenizer = tokenizer
        scanner = TokenScanner(tokenizer)
        root = node(query.root)
    }

    private mutating func node(_ node: FullTextQuery.Node) -> Node? {
        switch node {
        case .term(let term):
            let units = self.units(of: term)
            if term.isPhrase || tokenizer.joinsUnits { return phrase(units) }
            return Self.joined(units.map { .unit($0) }, Node.all)
        case .near(let terms, let distance):
            let phrases = terms.map { units(of: $0) }.filter { !$0.isEmpty }
            if phrases.count < 2 { return phrases.first.flatMap { phrase($0) } }
            needsPositions = true
            return .near(phrases, distance: distance)
        case .not(let node): return self.node(node).map { .not($0) }
        case .all(let parts):
            return Self.joined(parts.compactMap { self.node($0) }, Node.all)
        case .any(let parts):
            return Self.joined(parts.compactMap { self.node($0) }, Node.any)
        }
    }

    private static func joined(_ parts: [Node], _ join: ([Node]) -> Node) -> Node? {
        parts.count < 2 ? parts.first : join(parts)
    }

    private mutating func phrase(_ units: [Int]) -> Node? {
        if units.count < 2 { return units.first.map { .unit($0) } }
        needsPositions = true
        return .phrase(units)
    }

    private mutating func units(of term: FullTextQuery.Term) -> [Int] {
        var found: [Unit] = []
        var text = term.text
        text.withUTF8 { bytes in
            scanner.forEachUnit(of: UnsafeRawBufferPointer(bytes)) { unit, _, _ in
                found.append(Unit(bytes: Array(unit)))
                return true
            }
        }
        // Single characters have no beginnings.
        if term.isPrefix, tokenizer == .words, !found.isEmpty {
            found[found.count - 1].isPrefix = true
        }
        return found.map { unit in
            if let known = positions[unit] { return known }
            positions[unit] = units.count
            units.append(unit)
            return units.count - 1
        }
    }

    /// The words that count for the rank of a text: those of the parts that are not negated, each
    /// once, in the order of their bytes. Of an index of trigrams these are the trigrams.
    var rankedTokens: [Unit] {
        var found: Set<Unit> = []
        func add(_ phrase: [Int]) {
            guard tokenizer == .trigrams else {
                for unit in phrase { found.insert(units[unit]) }
                return
            }
            forEachTrigram(of: phrase) { found.insert(Unit(bytes: $0)) }
        }
        forEachPhrase(add)
        return found.sorted {
            $0.bytes == $1.bytes
                ? !$0.isPrefix && $1.isPrefix : $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
    }

    /// Calls `body` with the phrases of the parts that are not negated; one word is a phrase too.
    func forEachPhrase(_ body: ([Int]) -> Void) {
        func visit(_ node: Node) {
            switch node {
            case .unit(let unit): body([unit])
            case .phrase(let units): body(units)
            case .near(let phrases, _): phrases.forEach(body)
            case .not: break
            case .all(let parts), .any(let parts): parts.forEach(visit)
            }
        }
        if let root { visit(root) }
    }

    /// Calls `body` with every three units of a phrase that follow one another.
    func forEachTrigram(of phrase: [Int], _ body: ([UInt8]) -> Void) {
        var window = TrigramWindow()
        for unit in phrase {
            units[unit].bytes.withUnsafeBytes { window.append($0) { body(Array($0)) } }
        }
    }
}
