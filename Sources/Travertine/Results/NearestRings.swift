import OrderedIndex
import TravertineStore

/// Looks through an index of places around a point, in growing circles.
///
/// The first circle is as large as the entries next to the point's own cell say: it holds as many
/// objects as are asked for, unless a condition leaves some out. Each further one has four times the
/// radius; what was looked at is left out of it.
struct NearestRings {
    private let keyspace: KeyspaceID
    private let access: ReadAccess
    private let center: GeoPoint
    private let part: Int
    /// The most cells of the covering of a circle: a few objects more cost less than more cells.
    private static let cellCountMax = 10
    /// With so many entries for each object that is asked for, all are looked at.
    private static let crowd = 4

    init(_ keyspace: KeyspaceID, _ access: ReadAccess, _ center: GeoPoint, part: Int) {
        self.keyspace = keyspace
        self.access = access
        self.center = center
        self.part = part
    }

    /// Offers objects until no other one can be nearer.
    ///
    /// - Parameter test: whether an object is wanted; nil to give up.
    /// - Returns: false if it was given up.
    func find(
        _ nearest: inout NearestRows, _ test: (UInt64) throws -> Bool?
    ) throws -> Bool {
        let count = access.count(in: keyspace)
        if count / Self.crowd <= nearest.limit {
            let all = CellRange(lower: 0, upper: 6 << 60, isInside: false)
            return try look(in: [all], &nearest, test)
        }
        var radius = try firstRadius(holding: nearest.limit)
        var seen: [CellRange] = []
        while true {
            let reach = min(nearest.reach, .pi)
            radius = min(radius, reach)
            guard let circle = GeoCircle(center: center, radiusInRadians: radius) else {
                return true
            }
            let ranges = try CellCovering.ranges(
                of: .circle(CircleRegion(circle)), cellCountMax: Self.cellCountMax
            ) {
                try PlaceSearch.entryCount($0, in: keyspace, access).count <= PlaceSearch.testedMax
            }
            let new = CellCovering.subtracting(seen, from: ranges)
            guard try look(in: new, &nearest, test) else { return false }
            if radius >= min(nearest.reach, .pi) { return true }
            seen = (seen + new).sorted { $0.lower < $1.lower }
            radius *= 4
        }
    }

    /// A radius within which there are so many objects: the distance of the farthest of those that
    /// come next on the curve.
    private func firstRadius(holding limit: Int) throws -> Double {
        let wanted = limit + limit / 2 + 4
        var distances: [Double] = []
        distances.reserveCapacity(2 * wanted)
        func note(_ cursor: borrowing RawCursor) {
            let value = cursor.indexValue
            cursor.withKey { key in
                guard let entry = PlaceEntry(key, value) else { return }
                distances.append(center.angle(to: entry.point))
            }
        }
        let start = PlaceEntry.bound(GeoCell.number(of: UnitVector(center)))
        var after = access.cursor(in: keyspace)
        var isValid = try start.withBytes { (key) throws(StoreError) in
            try after.seek(atOrAfter: key)
        }
        for _ in 0..<wanted where isValid {
            note(after)
            isValid = try after.next()
        }
        var before = access.cursor(in: keyspace)
        isValid = try start.withBytes { (key) throws(StoreError) in
            try before.seek(atOrBefore: key)
        }
        for _ in 0..<wanted where isValid {
            note(before)
            isValid = try before.previous()
        }
        distances.sort()
        let farthest = distances.count < limit ? .pi : distances[limit - 1]
        return farthest + 2 * CellOutline.margin
    }

    /// Offers the objects of some ranges.
    private func look(
        in ranges: [CellRange], _ nearest: inout NearestRows, _ test: (UInt64) throws -> Bool?
    ) throws -> Bool {
        let degreesPerRadian = 180 / Double.pi
        var cursor = access.cursor(in: keyspace)
        var goesOn = true
        var failure: (any Error)?
        for range in ranges {
            guard try cursor.seekForward(to: PlaceEntry.bound(range.lower)) else { break }
            try PlaceEntry.bound(range.upper).withBytes { (upper) throws(StoreError) in
                try cursor.forEachNumber(before: upper) { key, value in
                    guard goesOn, let place = PlaceEntry(key, value) else { return }
                    // The distance is at least that of the latitudes.
                    let step = abs(place.point.latitude - center.latitude)
                    if step > (nearest.reach + CellOutline.margin) * degreesPerRadian { return }
                    let entry = NearestRows.Entry(
                        distance: center.angle(to: place.point), part: part, key: place.object)
                    guard nearest.takes(entry) else { return }
                    do {
                        guard let isWanted = try test(place.object) else {
                            goesOn = false
                            return
                        }
                        if isWanted { nearest.offer(entry) }
                    } catch {
                        failure = error
                        goesOn = false
                    }
                }
            }
            if let failure { throw failure }
            if !goesOn { return false }
        }
        return true
    }
}
