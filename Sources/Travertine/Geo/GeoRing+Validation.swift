#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The checks of rings when a polygon is made (E5).
extension GeoRing {
    func requireDistinctCorners() throws {
        var seen: Set<GeoPoint> = []
        for corner in corners where !seen.insert(corner).inserted {
            throw Realm.Error(.invalidInput, "\(name) has the corner \(corner) twice.")
        }
    }

    /// Refuses a ring whose sides cross or touch each other.
    func requireSimple() throws {
        let count = vectors.count
        try Self.forEachNearPair(arcs, nil) { first, second in
            let gap = abs(first.index - second.index)
            let meet: Bool
            if gap == 1 || gap == count - 1 {
                // Neighbours share a corner; they overlap if one folds back upon the other.
                let isSecondNext = (first.index + 1) % count == second.index
                let (before, after) = isSecondNext ? (first, second) : (second, first)
                meet = before.touches(after.end) || after.touches(before.start)
            } else {
                meet =
                    first.crosses(second) || first.touches(second.start)
                    || first.touches(second.end) || second.touches(first.start)
                    || second.touches(first.end)
            }
            if meet { throw crossing(name, first.index, name, second.index) }
        }
    }

    /// Refuses a ring that is not all inside another one; corners of it may lie on that one.
    func requireInside(_ outer: GeoRing) throws {
        try requireNoCrossing(with: outer)
        let isInside =
            corners.allSatisfy { outer.containment(of: $0) != .outside }
            && middles.allSatisfy { outer.containment(of: $0) == .inside }
        guard isInside else {
            throw Realm.Error(.invalidInput, "\(name) does not lie inside \(outer.name).")
        }
    }

    /// Refuses rings that share more than corners.
    func requireApart(from other: GeoRing) throws {
        try requireNoCrossing(with: other)
        let isApart =
            middles.allSatisfy { other.containment(of: $0) == .outside }
            && other.middles.allSatisfy { containment(of: $0) == .outside }
            && corners.allSatisfy { other.containment(of: $0) != .inside }
            && other.corners.allSatisfy { containment(of: $0) != .inside }
        guard isApart else {
            throw Realm.Error(.invalidInput, "\(other.name) and \(name) overlap.")
        }
    }

    private func requireNoCrossing(with other: GeoRing) throws {
        try Self.forEachNearPair(arcs, other.arcs) { first, second in
            if first.crosses(second) {
                throw crossing(name, first.index, other.name, second.index)
            }
        }
    }

    private func crossing(
        _ name: String, _ index: Int, _ other: String, _ otherIndex: Int
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "side \(index + 1) of \(name) and side \(otherIndex + 1) of \(other) meet.")
    }

    private var arcs: [GeoArc] {
        vectors.indices.map { index in
            GeoArc(index: index, start: vectors[index], end: vectors[(index + 1) % vectors.count])
        }
    }

    /// The middle of each side.
    private var middles: [GeoPoint] {
        arcs.compactMap { arc in
            let (x, y, z) = (
                arc.start.x + arc.end.x, arc.start.y + arc.end.y, arc.start.z + arc.end.z
            )
            let degreesPerRadian = 180 / Double.pi
            return GeoPoint(
                latitude: atan2(z, (x * x + y * y).squareRoot()) * degreesPerRadian,
                longitude: atan2(y, x) * degreesPerRadian)
        }
    }

    /// Calls `body` with the pairs of arcs that are near enough to meet.
    ///
    /// Each arc lies in the ball over its chord. The arcs are taken in the order of their balls'
    /// lower ends along x; with a second list only pairs of both lists count.
    private static func forEachNearPair(
        _ first: [GeoArc], _ second: [GeoArc]?, _ body: (GeoArc, GeoArc) throws -> Void
    ) rethrows {
        let tagged = first.map { ($0, false) } + (second ?? []).map { ($0, true) }
        let sorted = tagged.sorted { $0.0.leastX < $1.0.leastX }
        for (index, (arc, isSecond)) in sorted.enumerated() {
            for (other, isOtherSecond) in sorted[(index + 1)...] {
                if other.leastX > arc.greatestX { break }
                if second != nil && isSecond == isOtherSecond { continue }
                guard arc.isNear(other) else { continue }
                try isSecond ? body(other, arc) : body(arc, other)
            }
        }
    }
}

/// A side of a ring as an arc between two unit vectors.
struct GeoArc {
    let index: Int
    let start: UnitVector
    let end: UnitVector
    private let middle: UnitVector
    private let radius: Double

    init(index: Int, start: UnitVector, end: UnitVector) {
        self.index = index
        self.start = start
        self.end = end
        middle = UnitVector(
            (start.x + end.x) / 2, (start.y + end.y) / 2, (start.z + end.z) / 2)
        radius = start.distance(to: middle) + 1e-15
    }

    var leastX: Double { middle.x - radius }
    var greatestX: Double { middle.x + radius }

    func isNear(_ other: GeoArc) -> Bool {
        middle.distance(to: other.middle) <= radius + other.radius
    }

    /// Whether two arcs cross in a point that is inside both.
    func crosses(_ other: GeoArc) -> Bool {
        let turn = UnitVector.side(start, other.start, end)
        return turn != 0
            && UnitVector.side(other.start, end, other.end) == turn
            && UnitVector.side(end, other.end, start) == turn
            && UnitVector.side(other.end, start, other.start) == turn
    }

    /// Whether a point lies on the arc.
    func touches(_ point: UnitVector) -> Bool {
        guard UnitVector.side(start, end, point) == 0 else { return false }
        return point.dot(middle) >= start.dot(middle)
    }
}

extension UnitVector {
    func dot(_ other: UnitVector) -> Double { x * other.x + y * other.y + z * other.z }

    func distance(to other: UnitVector) -> Double {
        let (x, y, z) = (x - other.x, y - other.y, z - other.z)
        return (x * x + y * y + z * z).squareRoot()
    }
}
