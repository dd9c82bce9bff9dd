import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("Geo values")
struct GeoTests {
    @Test("points out of range, and numbers that are none, make no point")
    func pointRanges() throws {
        for (latitude, longitude) in [
            (90.1, 0.0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .nan), (.infinity, 0),
        ] {
            #expect(GeoPoint(latitude: latitude, longitude: longitude) == nil)
            #expect(GeoBox(bottomLeft: (latitude, longitude), topRight: (1, 1)) == nil)
            #expect(GeoCircle(center: (latitude, longitude), radiusInRadians: 1) == nil)
        }
        #expect(GeoPoint(latitude: 1, longitude: 1, altitude: -1) == nil)
        #expect(GeoPoint(1, 1, .nan) == nil)
        let low = try #require(GeoPoint(90, -180))
        let high = try #require(GeoPoint(latitude: 90, longitude: -180, altitude: 5))
        #expect(low != high && high.altitude == 5 && low.isSamePoint(as: high))
        #expect("\(low)" == "[-180.0, 90.0]")
    }

    @Test("distances convert as RealmSwift's do and are never below zero")
    func distances() throws {
        let distance = try #require(Distance.kilometers(6_378.1))
        #expect(distance.radians == 1 && distance.asKilometers() == 6_378.1)
        #expect(abs(distance.asDegrees() - 57.29577951308232) < 1e-12)
        let mile = try #require(Distance.miles(1))
        #expect(abs(mile.asKilometers() - 1.609344) < 1e-12 && abs(mile.asMiles() - 1) < 1e-12)
        #expect(try #require(Distance.degrees(180)).asRadians() == .pi)
        #expect(mile < distance)
        #expect(Distance.kilometers(-1) == nil && Distance.miles(-1) == nil)
        #expect(Distance.degrees(-1) == nil && Distance.radians(.nan) == nil)
        #expect(GeoCircle(center: (0, 0), radiusInRadians: -0.1) == nil)
        #expect(GeoCircle(center: (0, 0), radius: distance)?.radians == 1)
    }

    @Test("a box holds its edges, goes over 180 degrees, and meets every longitude in a pole")
    func boxes() throws {
        let box = try #require(GeoBox(bottomLeft: (-10, 170), topRight: (20, -170)))
        #expect(box.contains(point(0, 180)) && box.contains(point(0, -180)))
        #expect(box.contains(point(-10, 170)) && box.contains(point(20, -170)))
        #expect(!box.contains(point(0, 169.9)) && !box.contains(point(20.1, 180)))
        let east = try #require(GeoBox(bottomLeft: (80, 100), topRight: (90, 180)))
        #expect(east.contains(point(90, -50)) && east.contains(point(85, -180)))
        #expect(!east.contains(point(89.9, -50)))
        let upsideDown = try #require(GeoBox(bottomLeft: (10, 0), topRight: (5, 10)))
        #expect(!upsideDown.contains(point(7, 5)))
        #expect("\(box)" == "GeoBox([170.0, -10.0], [-170.0, 20.0])")
    }

    @Test("angles between points are those of vectors, near and far")
    func angles() throws {
        var random = seeded("angles")
        for _ in 0..<20_000 {
            let (first, second) = (randomPoint(&random), randomPoint(&random))
            let (a, b) = (vector(first), vector(second))
            let cross = [
                a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
            ]
            let sine = cross.reduce(0) { $0 + $1 * $1 }.squareRoot()
            let cosine = zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
            #expect(abs(first.angle(to: second) - atan2(sine, cosine)) < 1e-14)
            #expect(abs(first.angle(to: second) - second.angle(to: first)) < 1e-14)
        }
        // A millimetre, where the cosine has no digits left.
        let step = 1e-3 / 6_378_100 * 180 / .pi
        let angle = point(50, 10).angle(to: point(50 + step, 10))
        #expect(abs(angle * 6_378_100 - 1e-3) < 1e-8)
        #expect(point(90, 0).angle(to: point(-90, 77)) == .pi)
    }

    @Test("a circle holds its edge and what is nearer")
    func circles() throws {
        let center = point(47.3, -121.9)
        let circle = GeoCircle(center: center, radius: try #require(.kilometers(100)))
        let degree = 100 / 6_378.1 * 180 / Double.pi
        #expect(circle.contains(center))
        #expect(circle.contains(point(47.3 + degree * 0.999_999, -121.9)))
        #expect(!circle.contains(point(47.3 + degree * 1.000_001, -121.9)))
        let empty = GeoCircle(center: center, radius: try #require(.radians(0)))
        #expect(empty.contains(center) && !empty.contains(point(47.3, -121.8)))
        let all = try #require(GeoCircle(center: (0, 0), radiusInRadians: 4))
        #expect(all.contains(point(0, 180)))
    }

    @Test(
        "polygons agree with plane ones of the gnomonic projection, poles and 180 degrees included")
    func gnomonic() throws {
        var random = seeded("gnomonic")
        var insideCount = 0
        for round in 0..<600 {
            let center =
                round % 5 == 0
                ? point(round % 2 == 0 ? 90 : -90, 0)
                : round % 5 == 1
                    ? point(Double(random.below(100)) - 50, 180)
                    : randomPoint(&random)
            let plane = GnomonicPlane(center)
            let count = 3 + random.below(9)
            let reach = Double(1 + random.below(100)) / 20
            let ring = (0..<count).map { index -> (Double, Double) in
                let angle = (Double(index) + unit(&random) * 0.9) / Double(count) * 2 * .pi
                let radius = (0.1 + 0.9 * unit(&random)) * reach
                return (radius * cos(angle), radius * sin(angle))
            }
            // The centre of a triangle's corners may be outside of it: any simple ring will do.
            let corners = ring.compactMap { plane.point($0.0, $0.1) }
            try #require(corners.count == count)
            let polygon = try GeoPolygon(validating: corners + [corners[0]])
            for _ in 0..<60 {
                let (x, y) = ((unit(&random) - 0.5) * 3 * reach, (unit(&random) - 0.5) * 3 * reach)
                guard let distance = planeDistance(x, y, to: ring), distance > 1e-6 * reach,
                    let place = plane.point(x, y)
                else { continue }
                let expected = isInsidePlane(x, y, ring)
                insideCount += expected ? 1 : 0
                #expect(polygon.contains(place) == expected, "\(polygon) \(place)")
                let antipode = point(
                    -place.latitude,
                    place.longitude > 0 ? place.longitude - 180 : place.longitude + 180)
                #expect(!polygon.contains(antipode))
            }
        }
        #expect(insideCount > 1_000)
    }

    @Test("corners and points on sides belong to a polygon, exactly")
    func edges() throws {
        let square = try #require(
            GeoPolygon(
                outerRing: [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)],
                holes: [(4, 4), (4, 6), (6, 6), (6, 4), (4, 4)]))
        for (latitude, longitude, isInside) in [
            (0.0, 0.0, true), (10, 10, true), (0, 5, true), (5, 0, true), (5, 10, true),
            (1, 1, true), (5, 5, false), (4, 4, true), (5, 4, true), (5, 6, true),
            (-1e-12, 5, false), (5, -1e-12, false), (5, 10.000_000_000_01, false), (3.9, 5, true),
        ] {
            #expect(
                square.contains(point(latitude, longitude)) == isInside,
                "\(latitude), \(longitude)")
        }
        // A side along ten degrees north bulges to the north of the parallel.
        #expect(square.contains(point(10.01, 5)) && !square.contains(point(10.05, 5)))
    }

    @Test("a ring around a pole, through a pole, and over it divide the sphere rightly")
    func poles() throws {
        let around = try #require(
            GeoPolygon(outerRing: [(60, 0), (60, 90), (60, 180), (60, -90), (60, 0)]))
        #expect(around.contains(point(90, 33)) && around.contains(point(80, -45)))
        #expect(!around.contains(point(-90, 0)) && !around.contains(point(59, 45)))
        let through = try #require(
            GeoPolygon(outerRing: [(0, 0), (0, 90), (90, 0), (0, 0)]))
        #expect(through.contains(point(90, 123)) && through.contains(point(45, 45)))
        #expect(through.contains(point(45, 0)) && !through.contains(point(89, -45)))
        let over = try #require(
            GeoPolygon(outerRing: [(80, 0), (80, 180), (70, 90), (80, 0)]))
        #expect(over.contains(point(90, 5)) && over.contains(point(85, 180)))
        #expect(over.contains(point(85, 90)) && !over.contains(point(85, -90)))
        let south = try #require(
            GeoPolygon(outerRing: [(-60, 0), (-60, -90), (-60, 180), (-60, 90), (-60, 0)]))
        #expect(south.contains(point(-90, 0)) && !south.contains(point(90, 0)))
        let wedge = try #require(
            GeoPolygon(outerRing: [(-90, 0), (0, -10), (0, 10), (-90, 0)]))
        #expect(wedge.contains(point(-45, 0)) && !wedge.contains(point(-45, 180)))
        #expect(wedge.contains(point(-90, 7)) && !wedge.contains(point(45, 0)))
    }

    @Test("rings that bound no area are refused, each with its reason")
    func badRings() throws {
        let square: [(Double, Double)] = [(0, 0), (0, 10), (10, 10), (10, 0), (0, 0)]
        let bad: [(String, [(Double, Double)], [[(Double, Double)]])] = [
            ("four points", [(0, 0), (1, 1), (0, 0)], []),
            ("four points", [(0, 0), (0, 1), (1, 1), (1, 0)], []),
            ("twice", [(0, 0), (0, 1), (1, 1), (0, 1), (0, 0)], []),
            ("meet", [(0, 0), (10, 10), (10, 0), (0, 10), (0, 0)], []),
            ("meet", [(0, 0), (0, 10), (0, 5), (5, 5), (0, 0)], []),
            ("antipodes", [(10, 0), (-10, 180), (50, 60), (10, 0)], []),
            ("inside", square, [[(20, 20), (20, 21), (21, 21), (20, 20)]]),
            ("meet", square, [[(5, 5), (5, 15), (6, 15), (5, 5)]]),
            ("inside", square, [square]),
            (
                "overlap", square,
                [[(1, 1), (1, 9), (9, 9), (9, 1), (1, 1)], [(2, 2), (2, 3), (3, 3), (2, 2)]]
            ),
            ("hole 1", square, [[(1, 1), (2, 2), (1, 1)]]),
        ]
        for (reason, ring, holes) in bad {
            #expect(GeoPolygon(outerRing: ring, holes: holes) == nil)
            let error = #expect(throws: Realm.Error.self) {
                try GeoPolygon(validating: points(ring), holes: holes.map { points($0) })
            }
            #expect(error?.message.contains(reason) == true, "\(reason): \(error?.message ?? "")")
        }
        // Holes may touch the ring, and each other, in corners.
        #expect(
            GeoPolygon(
                outerRing: square, holes: [(0, 0), (5, 4), (4, 5), (0, 0)],
                [(5, 4), (6, 4), (6, 3), (5, 4)])
                != nil)
        #expect(GeoPolygon(outerRing: square, holes: nil) == GeoPolygon(outerRing: square))
    }

    @Test("the side of a point is exact where doubles round to nothing")
    func exactSides() {
        var random = seeded("sides")
        var misleadingCount = 0
        for _ in 0..<20_000 {
            // Integers in a plane but for one unit of one of them; 128 bits hold the determinant.
            let a = (0..<3).map { _ in Int128(random.below(1 << 26)) - 1 << 25 }
            let b = (0..<3).map { _ in Int128(random.below(1 << 26)) - 1 << 25 }
            let (p, q) = (Int128(random.below(1 << 25)), Int128(random.below(1 << 25)))
            var c = (0..<3).map { p * a[$0] + q * b[$0] }
            c[random.below(3)] += Int128(random.below(3) - 1)
            let determinant =
                a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0])
            let (u, v, w) = (scaled(a, 0x1p-26), scaled(b, 0x1p-26), scaled(c, 0x1p-53))
            #expect(UnitVector.side(u, v, w) == Int(determinant.signum()))
            #expect(UnitVector.side(v, u, w) == -Int(determinant.signum()))
            let rounded =
                u.x * (v.y * w.z - v.z * w.y) + u.y * (v.z * w.x - v.x * w.z)
                + u.z * (v.x * w.y - v.y * w.x)
            if rounded.sign == .minus && determinant >= 0 || rounded > 0 && determinant <= 0 {
                misleadingCount += 1
            }
        }
        // Otherwise the test would prove nothing.
        #expect(misleadingCount > 1_000)
    }

    private func scaled(_ numbers: [Int128], _ unit: Double) -> UnitVector {
        UnitVector(Double(numbers[0]) * unit, Double(numbers[1]) * unit, Double(numbers[2]) * unit)
    }

    private func point(_ latitude: Double, _ longitude: Double) -> GeoPoint {
        GeoPoint(latitude, longitude)!
    }

    private func points(_ pairs: [(Double, Double)]) -> [GeoPoint] {
        pairs.map { point($0.0, $0.1) }
    }

    private func seeded(_ name: String) -> SeededRandom {
        let seed = UInt64.random(in: 0 ... .max)
        print("Geo values, \(name), seed \(seed)")
        return SeededRandom(seed: seed)
    }
}

private func unit(_ random: inout SeededRandom) -> Double {
    Double(random.next() >> 11) / 0x1p53
}

private func randomPoint(_ random: inout SeededRandom) -> GeoPoint {
    let latitude = asin(2 * unit(&random) - 1) * 180 / .pi
    return GeoPoint(latitude, unit(&random) * 360 - 180) ?? GeoPoint(0, 0)!
}

private func vector(_ point: GeoPoint) -> [Double] {
    let (latitude, longitude) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
    return [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
}

/// The plane that touches the sphere in a point, where great circles are straight lines.
private struct GnomonicPlane {
    private let normal: [Double]
    private let east: [Double]
    private let north: [Double]

    init(_ center: GeoPoint) {
        let (latitude, longitude) = (center.latitude * .pi / 180, center.longitude * .pi / 180)
        normal = vector(center)
        east = [-sin(longitude), cos(longitude), 0]
        north = [
            -sin(latitude) * cos(longitude), -sin(latitude) * sin(longitude), cos(latitude),
        ]
    }

    func point(_ x: Double, _ y: Double) -> GeoPoint? {
        let place = (0..<3).map { normal[$0] + x * east[$0] + y * north[$0] }
        let degrees = 180 / Double.pi
        return GeoPoint(
            atan2(place[2], hypot(place[0], place[1])) * degrees,
            atan2(place[1], place[0]) * degrees)
    }
}

private func isInsidePlane(_ x: Double, _ y: Double, _ ring: [(Double, Double)]) -> Bool {
    var isInside = false
    for (index, first) in ring.enumerated() {
        let second = ring[(index + 1) % ring.count]
        if (first.1 > y) != (second.1 > y) {
            let crossing = first.0 + (y - first.1) / (second.1 - first.1) * (second.0 - first.0)
            if crossing > x { isInside.toggle() }
        }
    }
    return isInside
}

private func planeDistance(_ x: Double, _ y: Double, to ring: [(Double, Double)]) -> Double? {
    ring.indices.map { index in
        let (first, second) = (ring[index], ring[(index + 1) % ring.count])
        let (dx, dy) = (second.0 - first.0, second.1 - first.1)
        let share = max(0, min(1, ((x - first.0) * dx + (y - first.1) * dy) / (dx * dx + dy * dy)))
        return hypot(x - first.0 - share * dx, y - first.1 - share * dy)
    }.min()
}
