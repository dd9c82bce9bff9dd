import RealmSwift

@testable import Travertine

/// Conditions that have indexes besides those of values: words and places.
extension PredicateGenerator {
    /// A property of a role that some objects reach by a path; mostly one of the type itself.
    private mutating func path(to role: String, _ type: String) -> PropertyPath? {
        for attempt in 0..<10 {
            let route = attempt == 0 && chance(60) ? nil : route(type, steps: 1)
            if let route, route.type != .object { continue }
            let target = route?.target ?? (route == nil ? type : "")
            let properties = world.data.types[target]?.properties.filter { $0.role == role } ?? []
            if properties.isEmpty { continue }
            return (route?.path ?? PropertyPath()).adding(.property(pick(properties).name))
        }
        return nil
    }

    // MARK: Words

    mutating func words(_ type: String) -> Predicate? {
        let name = pick(["prose", "prose", "parts", "signs", "nameOrNil"])
        guard let path = path(to: name, type) else { return nil }
        return .words(path, FullTextQuery(query(depth: 0)))
    }

    private mutating func word() -> String {
        var word = pick(WorldGenerator.prose)
        if chance(20) { word = String(word.prefix(1 + values.random.below(4))) }
        return chance(30) ? word.uppercased() : word
    }

    private mutating func query(depth: Int) -> FullTextQuery.Node {
        switch values.random.below(depth > 1 ? 3 : 8) {
        case 0, 1, 2:
            return .term(FullTextQuery.Term(text: word(), isPrefix: chance(20)))
        case 3:
            let words = (0...1 + values.random.below(2)).map { _ in word() }
            return .term(
                FullTextQuery.Term(
                    text: words.joined(separator: " "), isPhrase: true, isPrefix: chance(20)))
        case 4:
            let terms = (0...1).map { _ in FullTextQuery.Term(text: word(), isPhrase: true) }
            return .near(terms, distance: values.random.below(3))
        case 5: return .not(query(depth: depth + 1))
        case 6: return .all(of: (0...1).map { _ in query(depth: depth + 1) })
        default: return .any(of: (0...1).map { _ in query(depth: depth + 1) })
        }
    }

    // MARK: Places

    mutating func place(_ type: String) -> Predicate? {
        guard let path = path(to: pick(["place", "place", "spare"]), type), let shape = shape()
        else { return nil }
        return .isWithin(path, shape)
    }

    private mutating func point() -> GeoPoint? {
        GeoPoint(
            latitude: pick(WorldGenerator.latitudes), longitude: pick(WorldGenerator.longitudes))
    }

    private mutating func shape() -> ShapeConstant? {
        guard let point = point(), let other = self.point() else { return nil }
        switch values.random.below(5) {
        case 0:
            // About the size of a point's neighbourhood.
            return GeoBox(
                bottomLeft: (point.latitude - 0.5, point.longitude - 0.5),
                topRight: (point.latitude + 0.5, point.longitude + 0.5)
            ).map { .box($0) }
        case 1: return .box(GeoBox(bottomLeft: point, topRight: other))
        case 2:
            // No circle where two ways of the Earth's half meet.
            guard let third = self.point() else { return nil }
            let corners = [point, other, third, point]
            guard let polygon = try? GeoPolygon(validating: corners), !isFlat(corners) else {
                return nil
            }
            return .polygon(polygon)
        default:
            let radius = pick([0, 1e-6, 0.001, 0.01, 0.03, 0.1, 0.5, 2, 3.2])
            return GeoCircle(center: point, radiusInRadians: radius).map { .circle($0) }
        }
    }

    /// Whether corners are almost on one great circle, or too far apart for a triangle.
    private func isFlat(_ corners: [GeoPoint]) -> Bool {
        zip(corners, corners.dropFirst()).contains {
            let angle = $0.angle(to: $1)
            return angle < 1e-3 || angle > 1.5
        }
            || abs(
                corners[0].angle(to: corners[1]) + corners[1].angle(to: corners[2])
                    - corners[0].angle(to: corners[2])) < 1e-3
            || abs(
                corners[1].angle(to: corners[2]) + corners[2].angle(to: corners[0])
                    - corners[0].angle(to: corners[1])) < 1e-3
            || abs(
                corners[2].angle(to: corners[0]) + corners[0].angle(to: corners[1])
                    - corners[1].angle(to: corners[2])) < 1e-3
    }
}
