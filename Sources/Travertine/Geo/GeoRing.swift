#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A closed ring of arcs of great circles, prepared to find out what is inside.
///
/// A point is inside if its meridian, followed to the north pole, crosses the ring an odd number of
/// times, or an even number when the pole itself is inside. Which sides the meridian meets is a
/// comparison of longitudes as they were given, west end included, east end not, so that a corner
/// is counted once; whether a side passes north or south of the point is the exact sign of a
/// determinant. Whether the pole is inside follows from the signed area: the ring's inside is the
/// smaller part of the sphere.
///
/// A corner in a pole has every longitude. There the ring is thought to run along the pole, from
/// the longitude of the corner before to that of the corner after.
struct GeoRing: Sendable {
    enum Containment {
        case inside
        case edge
        case outside
    }

    /// A side that meridians cross.
    struct Side: Sendable {
        var west: UnitVector
        var east: UnitVector
        var westLongitude: Double
        var eastLongitude: Double
        /// Whether it runs along the north pole or the south pole.
        var pole: Pole?
    }

    /// A side along a meridian: only for points on the ring itself.
    struct Meridian: Sendable {
        var longitude: Double
        var latitudes: ClosedRange<Double>
    }

    enum Pole: Double, Sendable {
        case north = 90
        case south = -90
    }

    let name: String
    /// The corners, without the repeated one.
    let corners: [GeoPoint]
    let vectors: [UnitVector]
    private(set) var sides: [Side] = []
    private(set) var meridians: [Meridian] = []
    private var poles: Set<Pole> = []
    private var isNorthPoleInside = false

    init(_ points: [GeoPoint], name: String) throws {
        self.name = name
        guard points.count >= 4, let first = points.first,
            points.last?.isSamePoint(as: first) == true
        else {
            throw Realm.Error(
                .invalidInput,
                "\(name) is no ring: it takes four points or more, the last one equal to the first."
            )
        }
        corners = points.dropLast().map(\.normalized)
        vectors = corners.map { UnitVector($0) }
        try requireDistinctCorners()
        try addSides()
        try requireSimple()
    }

    func containment(of point: GeoPoint) -> Containment {
        let point = point.normalized
        if let pole = Pole(rawValue: point.latitude), poles.contains(pole) { return .edge }
        let vector = UnitVector(point)
        if meridians.contains(where: { $0.contains(point) }) { return .edge }
        var isInside = isNorthPoleInside
        for side in sides {
            switch side.crossing(of: point, vector) {
            case .north: isInside.toggle()
            case .here: return .edge
            case .none: break
            }
        }
        return isInside ? .inside : .outside
    }
}

extension GeoRing.Side {
    enum Crossing {
        case north
        case here
        case none
    }

    /// Whether the meridian from a point to the north pole crosses the side.
    func crossing(of point: GeoPoint, _ vector: UnitVector) -> Crossing {
        let longitude = point.longitude
        let isBetween =
            westLongitude <= eastLongitude
            ? westLongitude <= longitude && longitude < eastLongitude
            : westLongitude <= longitude || longitude < eastLongitude
        if let pole { return isBetween && pole == .north ? .north : .none }
        guard isBetween || longitude == eastLongitude else { return .none }
        let position = UnitVector.side(west, east, vector)
        if position == 0 && abs(point.latitude) != 90 { return .here }
        return isBetween && position < 0 ? .north : .none
    }
}

extension GeoRing.Meridian {
    func contains(_ point: GeoPoint) -> Bool {
        point.longitude == longitude && latitudes.contains(point.latitude)
    }
}

extension GeoPoint {
    /// The point with -180 degrees for its equal, 180, and no minus at zero.
    var normalized: GeoPoint {
        let longitude = longitude == 180 ? -180 : longitude + 0
        return GeoPoint(latitude: latitude + 0, longitude: longitude) ?? self
    }
}

extension GeoRing {
    /// What the sides add up to: the integral of the sine of latitude over longitude, and the turn.
    private struct Sum {
        var integral = 0.0
        var degrees = 0.0
    }

    private mutating func addSides() throws {
        var sum = Sum()
        for index in corners.indices {
            let next = corners[(index + 1) % corners.count]
            let corner = corners[index]
            if let pole = Pole(rawValue: corner.latitude) {
                // The side that comes here and the one that leaves are meridians.
                let before = corners[(index + corners.count - 1) % corners.count]
                addPole(pole, from: before.longitude, to: next.longitude, &sum)
                addMeridian(next.longitude, corner.latitude, next.latitude)
            } else if Pole(rawValue: next.latitude) != nil {
                addMeridian(corner.longitude, corner.latitude, next.latitude)
            } else {
                try addSide(index, from: corner, to: next, &sum)
            }
        }
        let isNorthSideSmaller = sum.integral * sum.degrees > 0
        isNorthPoleInside =
            abs(sum.degrees) > 180 ? isNorthSideSmaller : abs(sum.integral) > 2 * .pi
    }

    private mutating func addSide(
        _ index: Int, from corner: GeoPoint, to next: GeoPoint, _ sum: inout Sum
    ) throws {
        let step = Self.step(from: corner.longitude, to: next.longitude)
        if step == 0 {
            addMeridian(corner.longitude, corner.latitude, next.latitude)
        } else if abs(step) == 180 {
            guard corner.latitude != -next.latitude else {
                throw Realm.Error(
                    .invalidInput,
                    "\(name) has a side between the antipodes \(corner) and \(next), which any "
                        + "great circle through them could be.")
            }
            let pole: Pole = corner.latitude + next.latitude > 0 ? .north : .south
            addMeridian(corner.longitude, corner.latitude, pole.rawValue)
            addPole(pole, from: corner.longitude, to: next.longitude, &sum)
            addMeridian(next.longitude, next.latitude, pole.rawValue)
        } else {
            add(index, from: corner, to: next, isEastward: step > 0)
            sum.degrees += step
            sum.integral += Self.integral(from: corner, to: next, step: step)
        }
    }

    private mutating func add(
        _ index: Int, from corner: GeoPoint, to next: GeoPoint, isEastward: Bool
    ) {
        let (from, to) = (vectors[index], vectors[(index + 1) % vectors.count])
        sides.append(
            isEastward
                ? Side(
                    west: from, east: to, westLongitude: corner.longitude,
                    eastLongitude: next.longitude)
                : Side(
                    west: to, east: from, westLongitude: next.longitude,
                    eastLongitude: corner.longitude))
    }

    private mutating func addMeridian(_ longitude: Double, _ first: Double, _ second: Double) {
        meridians.append(
            Meridian(longitude: longitude, latitudes: min(first, second)...max(first, second)))
    }

    private mutating func addPole(
        _ pole: Pole, from: Double, to: Double, _ sum: inout Sum
    ) {
        poles.insert(pole)
        let step = Self.step(from: from, to: to)
        let vector = UnitVector(0, 0, pole == .north ? 1 : -1)
        sides.append(
            Side(
                west: vector, east: vector, westLongitude: step > 0 ? from : to,
                eastLongitude: step > 0 ? to : from, pole: pole))
        sum.degrees += step
        sum.integral += step * .pi / 180 * (pole == .north ? 1 : -1)
    }

    /// The way from one longitude to another, the short way round, positive to the east.
    private static func step(from: Double, to: Double) -> Double {
        let step = to - from
        return step > 180 ? step - 360 : step < -180 ? step + 360 : step
    }

    /// The integral of the sine of latitude along an arc of a great circle.
    private static func integral(from: GeoPoint, to: GeoPoint, step: Double) -> Double {
        let radiansPerDegree = Double.pi / 180
        let mean = (from.latitude + to.latitude) / 2 * radiansPerDegree
        let half = (from.latitude - to.latitude) / 2 * radiansPerDegree
        return 2 * atan2(tan(step / 2 * radiansPerDegree) * sin(mean), cos(half))
    }
}
