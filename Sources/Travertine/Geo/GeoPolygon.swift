/// An area on the sphere inside a ring of points, less the areas inside its holes.
///
/// The sides are arcs of great circles. A ring names its first point again as the last one; the
/// area inside is the smaller of the two that the ring divides the sphere into. Points on a side of
/// the outer ring belong to the polygon, and so do those on a side of a hole.
public struct GeoPolygon: Sendable, Hashable {
    /// The outer ring; the first point is also the last one.
    public let outerRing: [GeoPoint]
    /// The rings that are cut out.
    public let holes: [[GeoPoint]]

    private let area: Area

    /// A polygon of an outer ring and holes; nil if the rings bound no area.
    ///
    /// Each ring needs four points or more, of which the first equals the last and no other two are
    /// equal; its sides do not cross or touch each other, and join no antipodes. Holes lie inside
    /// the outer ring, do not cross each other or lie in each other, and may touch in points.
    /// `init(validating:holes:)` says which of these does not hold.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
        do {
            try self.init(validating: outerRing, holes: holes ?? [])
        } catch {
            return nil
        }
    }

    /// A polygon of an outer ring and holes; nil if the rings bound no area.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// A polygon of rings of latitudes and longitudes; nil if the rings bound no area.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]? = nil) {
        guard let ring = Self.points(outerRing) else { return nil }
        var rings: [[GeoPoint]] = []
        for hole in holes ?? [] {
            guard let points = Self.points(hole) else { return nil }
            rings.append(points)
        }
        self.init(outerRing: ring, holes: rings)
    }

    /// A polygon of rings of latitudes and longitudes; nil if the rings bound no area.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// A polygon of an outer ring and holes.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, which names the ring and what is wrong.
    public init(validating outerRing: [GeoPoint], holes: [[GeoPoint]] = []) throws {
        area = try Area(outerRing: outerRing, holes: holes)
        self.outerRing = outerRing
        self.holes = holes
    }

    private static func points(_ pairs: [(Double, Double)]) -> [GeoPoint]? {
        let points = pairs.compactMap { GeoPoint($0.0, $0.1) }
        return points.count == pairs.count ? points : nil
    }

    /// Whether a point lies in the polygon or on its edge.
    public func contains(_ point: GeoPoint) -> Bool { area.contains(point) }

    /// Whether two polygons have the same rings, point by point.
    public static func == (left: GeoPolygon, right: GeoPolygon) -> Bool {
        left.outerRing == right.outerRing && left.holes == right.holes
    }

    /// Feeds the rings to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(outerRing)
        hasher.combine(holes)
    }
}

extension GeoPolygon: CustomStringConvertible {
    /// The rings, each longitude first: "GeoPolygon({[0.0, 0.0], …}, {[1.0, 1.0], …})".
    public var description: String {
        let rings = ([outerRing] + holes).map { ring in
            "{" + ring.map(\.description).joined(separator: ", ") + "}"
        }
        return "GeoPolygon(" + rings.joined(separator: ", ") + ")"
    }
}

extension GeoPolygon {
    /// The rings, prepared for tests of points.
    struct Area: Sendable {
        private let outer: GeoRing
        private let holes: [GeoRing]

        init(outerRing: [GeoPoint], holes rings: [[GeoPoint]]) throws {
            outer = try GeoRing(outerRing, name: "the outer ring")
            holes = try rings.enumerated().map { try GeoRing($1, name: "hole \($0 + 1)") }
            for (index, hole) in holes.enumerated() {
                try hole.requireInside(outer)
                for other in holes[..<index] { try hole.requireApart(from: other) }
            }
        }

        func contains(_ point: GeoPoint) -> Bool {
            guard outer.containment(of: point) != .outside else { return false }
            return holes.allSatisfy { $0.containment(of: point) != .inside }
        }
    }
}
