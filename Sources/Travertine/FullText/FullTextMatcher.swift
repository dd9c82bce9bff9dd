/// Looks for what a pattern says in texts, one after the other.
///
/// A text is divided into units once; where those that the pattern names are in it is noted in
/// memory that is kept.
final class FullTextMatcher {
    let pattern: FullTextPattern
    @exclusivity(unchecked) private var scanner: TokenScanner
    @exclusivity(unchecked) private var finder: PhraseFinder
    /// Units by their first byte: a range of `byFirst`; prefixes among them.
    @exclusivity(unchecked) private var ranges: [Range<Int>] = []
    @exclusivity(unchecked) private var byFirst: [Int] = []
    /// By unit: the positions in the text, ascending.
    @exclusivity(unchecked) private var places: [[Int32]]
    /// By unit: whether the text has it.
    @exclusivity(unchecked) private var isFound: [Bool]

    init(_ pattern: FullTextPattern) {
        self.pattern = pattern
        scanner = TokenScanner(pattern.tokenizer)
        finder = PhraseFinder(pattern)
        places = pattern.units.map { _ in [] }
        isFound = pattern.units.map { _ in false }
        var buckets: [[Int]] = Array(repeating: [], count: 256)
        for (position, unit) in pattern.units.enumerated() {
            if let first = unit.bytes.first { buckets[Int(first)].append(position) }
        }
        for bucket in buckets {
            ranges.append(byFirst.count..<byFirst.count + bucket.count)
            byFirst += bucket
        }
    }

    /// Whether a text has what the pattern says.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let root = pattern.root else { return false }
        if pattern.tokenizer == .words, let found = finder.holds(root, in: text) { return found }
        scan(text)
        return holds(root)
    }

    /// Whether a text has what a part of the pattern says whose units are where lists say.
    ///
    /// - Parameters:
    ///   - lists: of each unit of the part, where it is in the texts of some objects.
    ///   - place: the place of the object among them.
    func matches(
        _ part: FullTextPattern.Node, _ lists: [(unit: Int, positions: TokenPositions)],
        at place: Int
    ) -> Bool {
        for (unit, positions) in lists {
            isFound[unit] = positions.copy(place, to: &places[unit])
        }
        return holds(part)
    }

    /// Calls `body` with each unit of the text that is one of the pattern, by their positions.
    private func forEachFound(
        of text: UnsafeRawBufferPointer, _ body: (_ unit: Int, _ place: Int32) -> Void
    ) {
        var place: Int32 = 0
        scanner.forEachUnit(of: text) { unit, _, _ in
            // A unit is never empty.
            for position in ranges[Int(unit[0])] {
                let wanted = byFirst[position]
                if pattern.units[wanted].matches(unit) { body(wanted, place) }
            }
            place += 1
            return true
        }
    }

    private func scan(_ text: UnsafeRawBufferPointer) {
        for unit in isFound.indices where isFound[unit] {
            isFound[unit] = false
            places[unit].removeAll(keepingCapacity: true)
        }
        let needsPositions = pattern.needsPositions
        forEachFound(of: text) { unit, place in
            isFound[unit] = true
            if needsPositions { places[unit].append(place) }
        }
    }

    private func holds(_ node: FullTextPattern.Node) -> Bool {
        switch node {
        case .unit(let unit): isFound[unit]
        case .phrase(let units): isThere(units)
        case .near(let phrases, let distance): areNear(phrases, distance)
        case .not(let node): !holds(node)
        case .all(let parts): parts.allSatisfy { holds($0) }
        case .any(let parts): parts.contains { holds($0) }
        }
    }

    /// Where a phrase begins in the text that was scanned last.
    private func occurrences(of phrase: [Int]) -> [Int32] {
        if phrase.count == 1 { return isFound[phrase[0]] ? places[phrase[0]] : [] }
        var found: [Int32] = []
        forEachOccurrence(of: phrase) {
            found.append($0)
            return true
        }
        return found
    }

    /// Whether a phrase is in the text that was scanned last.
    private func isThere(_ phrase: [Int]) -> Bool {
        var isThere = false
        forEachOccurrence(of: phrase) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    /// Calls `body` with where a phrase begins until it gives false.
    @inline(__always)
    private func forEachOccurrence(of phrase: [Int], _ body: (Int32) -> Bool) {
        // From the unit that is there least often.
        var rarest = 0
        for position in phrase.indices {
            guard isFound[phrase[position]] else { return }
            if places[phrase[position]].count < places[phrase[rarest]].count { rarest = position }
        }
        for place in places[phrase[rarest]] {
            let start = place - Int32(rarest)
            var position = 0
            while position < phrase.count,
                position == rarest
                    || Self.contains(places[phrase[position]], start + Int32(position))
            {
                position += 1
            }
            if position == phrase.count, !body(start) { return }
        }
    }

    private static func contains(_ places: [Int32], _ wanted: Int32) -> Bool {
        let position = Self.position(in: places, notBefore: wanted)
        return position < places.count && places[position] == wanted
    }

    /// The position of the first place at or after one.
    private static func position(in places: [Int32], notBefore wanted: Int32) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether each phrase occurs so that, of these occurrences, all others end at most so many
    /// units before the one begins that begins last (W7).
    private func areNear(_ phrases: [[Int]], _ distance: Int) -> Bool {
        let starts = phrases.map { occurrences(of: $0) }
        if starts.contains(where: \.isEmpty) { return false }
        for last in starts.indices {
            for start in starts[last] {
                let isClose = starts.indices.allSatisfy { other in
                    if other == last { return true }
                    let first = start - Int32(phrases[other].count) - Int32(distance)
                    let position = Self.position(in: starts[other], notBefore: first)
                    return position < starts[other].count && starts[other][position] <= start
                }
                if isClose { return true }
            }
        }
        return false
    }

    // MARK: Places in the text

    /// Where what the pattern says, negated parts aside, occurs in a text: ranges of units; and the
    /// bytes of all units.
    func occurrences(
        in text: UnsafeRawBufferPointer
    ) -> (found: [Range<Int>], units: [Range<Int>]) {
        for unit in isFound.indices {
            isFound[unit] = false
            places[unit].removeAll(keepingCapacity: true)
        }
        forEachFound(of: text) { unit, place in
            isFound[unit] = true
            places[unit].append(place)
        }
        var units: [Range<Int>] = []
        scanner.forEachUnit(of: text) { _, start, end in
            units.append(start..<end)
            return true
        }
        var found: [Range<Int>] = []
        pattern.forEachPhrase { phrase in
            for start in occurrences(of: phrase) {
                found.append(Int(start)..<Int(start) + phrase.count)
            }
        }
        return (found, units)
    }
}

extension FullTextPattern.Unit {
    /// Whether a unit of a text is this one, or begins as it.
    @inline(__always)
    func matches(_ unit: UnsafeRawBufferPointer) -> Bool {
        guard isPrefix ? unit.count >= bytes.count : unit.count == bytes.count else { return false }
        return bytes.withUnsafeBytes { wanted in
            for position in 0..<wanted.count where wanted[position] != unit[position] {
                return false
            }
            return true
        }
    }
}
