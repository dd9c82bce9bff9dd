/// Numbers of the smallest cells, from one to before another.
struct CellRange: Equatable {
    var lower: UInt64
    var upper: UInt64
    /// Whether every point with such a number is in the shape.
    var isInside: Bool
}

/// Cells that together contain a shape, as few ranges of numbers.
enum CellCovering {
    /// The most cells of a covering, but for those that all of the shape's edge is in.
    static let cellCountMax = 16
    /// The smallest cells that a covering has, of about 16 centimetres.
    private static let levelMax = 26

    private struct Candidate {
        var cell: GeoCell
        var sides: [Int32]
    }

    /// The ranges of a covering of any shape, as below.
    static func ranges(
        of region: CellRegion, cellCountMax: Int = cellCountMax
    ) -> [CellRange] {
        ranges(of: region, cellCountMax: cellCountMax) { _ in false }
    }

    /// The ranges of a covering, in ascending order, apart from each other or with another
    /// `isInside`.
    ///
    /// Begins with a cell around the shape, or with the six faces, and divides the largest cell
    /// that is partly in the shape as long as there are not too many cells.
    ///
    /// - Parameter isSmall: whether cells around the shape have so few points that they are not
    ///   worth being divided; called for one cell, and for a block of four that may be smaller.
    static func ranges(
        of region: CellRegion, cellCountMax: Int = cellCountMax,
        isSmall: ([CellRange]) throws -> Bool
    ) rethrows -> [CellRange] {
        if region.isEmpty { return [] }
        var found: [CellRange] = []
        var queue: [Candidate] = []
        var next = 0
        func add(_ cell: GeoCell, _ sides: [Int32], to queue: inout [Candidate]) {
            var sides = sides
            switch region.relation(of: cell, &sides) {
            case .outside: break
            case .inside:
                found.append(CellRange(lower: cell.start, upper: cell.end, isInside: true))
            case .crossing: queue.append(Candidate(cell: cell, sides: sides))
            }
        }
        let bound = region.bound
        if let start = bound.flatMap({ GeoCell.smallest(around: $0) }) {
            let range = CellRange(lower: start.start, upper: start.end, isInside: false)
            if try isSmall([range]) { return [range] }
            if let block = bound.flatMap({ CellBlock(around: $0) }).map({ merged($0.ranges) }),
                try isSmall(block)
            {
                return block
            }
            queue.append(Candidate(cell: start, sides: region.sides))
        } else {
            for face in GeoCell.faces { add(face, region.sides, to: &queue) }
        }
        while next < queue.count {
            let current = queue[next]
            next += 1
            let cell = current.cell
            if cell.level < levelMax {
                let (foundBefore, queueBefore) = (found.count, queue.count)
                for position in 0..<4 { add(cell.child(position), current.sides, to: &queue) }
                if found.count + queue.count - next <= cellCountMax { continue }
                found.removeSubrange(foundBefore...)
                queue.removeSubrange(queueBefore...)
            }
            found.append(CellRange(lower: cell.start, upper: cell.end, isInside: false))
        }
        return merged(found)
    }

    private static func merged(_ ranges: [CellRange]) -> [CellRange] {
        var merged: [CellRange] = []
        for range in ranges.sorted(by: { $0.lower < $1.lower }) {
            if let last = merged.last, last.upper == range.lower, last.isInside == range.isInside {
                merged[merged.count - 1].upper = range.upper
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// What is in ranges and not in others; both are in ascending order.
    static func subtracting(_ others: [CellRange], from ranges: [CellRange]) -> [CellRange] {
        var rest: [CellRange] = []
        for var range in ranges {
            for other in others where other.upper > range.lower && other.lower < range.upper {
                if other.lower > range.lower {
                    rest.append(
                        CellRange(
                            lower: range.lower, upper: other.lower, isInside: range.isInside))
                }
                range.lower = min(other.upper, range.upper)
            }
            if range.lower < range.upper { rest.append(range) }
        }
        return rest
    }
}
