import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("Cells of the sphere")
struct GeoCellTests {
    private let seed: UInt64 = .random(in: 0...(.max))

    /// A random cell of a level.
    private func cell(_ random: inout PlaceRandom, level: Int) -> GeoCell {
        var cell = GeoCell.faces[random.random.below(6)]
        while Int(cell.level) < level { cell = cell.child(random.random.below(4)) }
        return cell
    }

    /// A direction in a cell, often on its edge.
    private func direction(in cell: GeoCell, _ random: inout PlaceRandom) -> UnitVector {
        let size = 1 / Double(1 << Int(cell.level))
        let parts = [0, 1, random.unit()]
        let y = FaceFrame.tangent((Double(cell.first) + random.random.pick(parts)) * size)
        let z = FaceFrame.tangent((Double(cell.second) + random.random.pick(parts)) * size)
        let length = (1 + y * y + z * z).squareRoot()
        let local = UnitVector(1 / length, y / length, z / length)
        return FaceFrame.global(local, Int(cell.face))
    }

    @Test("cells that follow each other on the curve have a common side")
    func curve() {
        for face in GeoCell.faces {
            var cells = [face]
            for _ in 0..<5 { cells = cells.flatMap { cell in (0..<4).map { cell.child($0) } } }
            #expect(cells.map(\.start) == cells.map(\.start).sorted())
            for (cell, next) in zip(cells, cells.dropFirst()) {
                #expect(cell.end == next.start)
                let (first, second) = (
                    abs(Int(cell.first) - Int(next.first)), abs(Int(cell.second) - Int(next.second))
                )
                #expect(first + second == 1)
            }
        }
    }

    @Test("the number of a point is that of the smallest cell around it, at any level")
    func numbers() {
        var random = PlaceRandom(seed: seed)
        for _ in 0..<2000 {
            let vector = random.direction()
            let number = GeoCell.number(of: vector)
            guard var cell = GeoCell.faces.first(where: { $0.start <= number && number < $0.end })
            else {
                Issue.record("no face has \(number), seed \(seed)")
                continue
            }
            while Int(cell.level) < GeoCell.levelMax {
                let child = (0..<4).map { cell.child($0) }.first {
                    $0.start <= number && number < $0.end
                }
                guard let child else { break }
                cell = child
                let distance = CellOutline(cell).leastDistance(from: vector)
                #expect(distance < CellOutline.margin / 100, "level \(cell.level), seed \(seed)")
            }
            #expect(cell.start == number && Int(cell.level) == GeoCell.levelMax, "seed \(seed)")
        }
    }

    @Test("distances and the straight line from the middle hold all points of a cell")
    func distances() {
        var random = PlaceRandom(seed: seed)
        for round in 0..<600 {
            let cell = cell(&random, level: round % 31)
            let outline = CellOutline(cell)
            let from = random.random.chance(30) ? direction(in: cell, &random) : random.direction()
            let (least, greatest) = outline.distances(from: from)
            var (nearest, farthest) = (Double.pi, 0.0)
            for _ in 0..<40 {
                let point = direction(in: cell, &random)
                let distance = from.angle(to: point)
                nearest = min(nearest, distance)
                farthest = max(farthest, distance)
                #expect(distance >= least - 1e-14 && distance <= greatest + 1e-14, "seed \(seed)")
                let chord = outline.globalCenter.squaredChord(to: point).squareRoot()
                #expect(chord < CellOutline.chordMax(ofLevel: cell.level), "seed \(seed)")
            }
            let size = CellOutline.chordMax(ofLevel: cell.level)
            #expect(nearest - least < 2 * size && greatest - farthest < 2 * size, "seed \(seed)")
        }
    }

    @Test("what is inside or outside of a shape for certain is so by the exact test")
    func relations() {
        var random = PlaceRandom(seed: seed)
        var counts: [CellRelation: Int] = [:]
        for round in 0..<4000 {
            let cell = cell(&random, level: round % 31)
            // Mostly shapes of which the cell knows something.
            let shape: any GeoShape
            if random.random.chance(70), let near = direction(in: cell, &random).point {
                shape = random.shape(around: random.near(near, degrees: random.degrees()))
            } else {
                shape = random.shape()
            }
            guard let region = CellRegion(ShapeConstant(shape)) else { continue }
            var sides = region.sides
            let relation = region.relation(of: cell, &sides)
            counts[relation, default: 0] += 1
            for _ in 0..<20 {
                guard let point = direction(in: cell, &random).point else { continue }
                let number = GeoCell.number(of: UnitVector(point))
                guard cell.start <= number, number < cell.end else { continue }
                switch relation {
                case .inside: #expect(shape.contains(point), "\(shape) \(point) seed \(seed)")
                case .outside: #expect(!shape.contains(point), "\(shape) \(point) seed \(seed)")
                case .crossing: break
                }
            }
        }
        #expect(counts.values.allSatisfy { $0 > 100 } && counts.count == 3, "\(counts) \(seed)")
    }

    @Test("a covering has every point of its shape, and is not much larger")
    func coverings() {
        var random = PlaceRandom(seed: seed)
        for _ in 0..<300 {
            let center = random.point()
            let shape = random.shape(around: center)
            guard let region = CellRegion(ShapeConstant(shape)) else { continue }
            let ranges = CellCovering.ranges(of: region)
            #expect(ranges.count <= CellCovering.cellCountMax, "\(shape) seed \(seed)")
            for (range, next) in zip(ranges, ranges.dropFirst()) {
                #expect(range.upper <= next.lower && range.lower < range.upper, "seed \(seed)")
            }
            for _ in 0..<60 {
                let point = random.near(center, degrees: random.degrees())
                let number = GeoCell.number(of: UnitVector(point))
                let range = ranges.first { $0.lower <= number && number < $0.upper }
                if shape.contains(point) {
                    #expect(range != nil, "\(shape) \(point) seed \(seed)")
                } else {
                    #expect(range?.isInside != true, "\(shape) \(point) seed \(seed)")
                }
            }
        }
        let whole = GeoBox(bottomLeft: (-90, -180), topRight: (90, 180))!
        let all = CellRange(lower: 0, upper: 6 << 60, isInside: true)
        #expect(CellCovering.ranges(of: CellRegion(.box(whole))!) == [all])
        let none = GeoBox(bottomLeft: (10, 20), topRight: (5, 30))!
        #expect(
            CellCovering.ranges(of: CellRegion(.box(none))!).allSatisfy { !$0.isInside })
    }

    @Test("a block of four cells has every point of its circle, and is at most ten times as wide")
    func blocks() {
        var random = PlaceRandom(seed: seed)
        var count = 0
        for _ in 0..<2000 {
            let radius = 0.09 * pow(10, -6 * random.unit())
            let circle = GeoCircle(center: random.direction().point!, radiusInRadians: radius)!
            guard let bound = CellRegion.circle(CircleRegion(circle)).bound,
                let block = CellBlock(around: bound)
            else { continue }
            count += 1
            let ranges = block.ranges
            #expect(ranges.count == 4 && ranges.allSatisfy { $0.lower < $0.upper })
            for _ in 0..<20 {
                let point = random.near(circle.center, degrees: 2 * radius * 180 / .pi)
                guard circle.contains(point) else { continue }
                let number = GeoCell.number(of: UnitVector(point))
                #expect(
                    ranges.contains { $0.lower <= number && number < $0.upper },
                    "\(circle) \(point) seed \(seed)")
            }
            let leaves = Double(ranges.reduce(0) { $0 + ($1.upper - $1.lower) })
            let area = leaves / (6 * pow(2, 60)) * 4 * .pi
            #expect(area < 100 * .pi * radius * radius, "\(circle) \(area) seed \(seed)")
        }
        // Only circles over the edges of faces have none.
        #expect(count > 1500, "\(count) seed \(seed)")
    }

    @Test("a covering of a few points is a cell or a block around the shape")
    func smallCoverings() {
        var random = PlaceRandom(seed: seed)
        var blockCount = 0
        for _ in 0..<300 {
            let center = random.direction().point!
            let circle = GeoCircle(center: center, radiusInRadians: 1e-4)!
            let region = CellRegion(.circle(circle))!
            let ranges = CellCovering.ranges(of: region) { ranges in
                ranges.allSatisfy { $0.upper - $0.lower < 1 << 40 }
            }
            if ranges.count > 1, ranges.allSatisfy({ !$0.isInside }) { blockCount += 1 }
            for (range, next) in zip(ranges, ranges.dropFirst()) {
                #expect(range.upper <= next.lower, "\(circle) seed \(seed)")
            }
            let number = GeoCell.number(of: UnitVector(center))
            #expect(
                ranges.contains { $0.lower <= number && number < $0.upper },
                "\(circle) seed \(seed)")
        }
        #expect(blockCount > 10, "\(blockCount) seed \(seed)")
    }

    @Test("a covering of a circle has at most twice its area")
    func areas() {
        var random = PlaceRandom(seed: seed)
        var total = 0.0
        let count = 100
        for _ in 0..<count {
            let radius = 0.3 * pow(10, -5 * random.unit())
            let circle = GeoCircle(
                center: random.direction().point!, radiusInRadians: radius)!
            let leaves = CellCovering.ranges(of: CellRegion(.circle(circle))!).reduce(0.0) {
                $0 + Double($1.upper - $1.lower)
            }
            // The smallest cells have about the same area each.
            let area = leaves / (6 * pow(2, 60)) * 4 * .pi
            total += area / (2 * .pi * (1 - cos(radius)))
        }
        #expect(total / Double(count) < 2, "\(total / Double(count)) seed \(seed)")
    }

    @Test("ranges are taken out of ranges")
    func subtraction() {
        func range(_ lower: UInt64, _ upper: UInt64) -> CellRange {
            CellRange(lower: lower, upper: upper, isInside: false)
        }
        let rest = CellCovering.subtracting(
            [range(2, 4), range(6, 7), range(20, 30)],
            from: [range(0, 10), range(15, 25), range(40, 50)])
        #expect(
            rest == [range(0, 2), range(4, 6), range(7, 10), range(15, 20), range(40, 50)])
    }
}
