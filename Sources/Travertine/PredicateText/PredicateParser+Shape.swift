/// Shapes of a predicate text: boxes, circles and polygons.
extension PredicateParser {
    /// Reads `geoBox([lon, lat], [lon, lat])`, `geoCircle([lon, lat], radians)` or
    /// `geoPolygon({[lon, lat], …}, {hole}, …)`.
    mutating func parseShape() throws(PredicateTextError) -> PredicateTerm {
        let start = token
        let mark = places.count
        advance()
        advance()
        let shape: ShapeConstant
        switch start.text.lowercased() {
        case "geobox": shape = try parseBox()
        case "geocircle": shape = try parseCircle()
        default: shape = try parsePolygon(start)
        }
        try require(")", "after the shape")
        places.removeSubrange(mark...)
        let range = start.range.lowerBound..<lastOffset
        places.append(range)
        return PredicateTerm(.shape(shape), range)
    }

    private mutating func parseBox() throws(PredicateTextError) -> ShapeConstant {
        let corner = try parsePoint()
        try require(",", "and the second corner")
        return .box(GeoBox(bottomLeft: corner, topRight: try parsePoint()))
    }

    private mutating func parseCircle() throws(PredicateTextError) -> ShapeConstant {
        let center = try parsePoint()
        try require(",", "and the radius in radians")
        let start = token
        guard let circle = GeoCircle(center: center, radiusInRadians: try parseCoordinate()) else {
            throw error("The radius is an angle in radians, not below zero.", at: start.range)
        }
        return .circle(circle)
    }

    private mutating func parsePolygon(
        _ start: PredicateToken
    ) throws(PredicateTextError) -> ShapeConstant {
        var rings: [[GeoPoint]] = []
        repeat {
            try require("{", "before the points of a ring")
            var ring: [GeoPoint] = []
            repeat { ring.append(try parsePoint()) } while take(",")
            try require("}", "after the points of a ring")
            rings.append(ring)
        } while take(",")
        do {
            return .polygon(
                try GeoPolygon(validating: rings[0], holes: Array(rings.dropFirst())))
        } catch {
            let message = (error as? Realm.Error)?.message ?? "\(error)"
            throw self.error(
                "The rings are no polygon: \(message)",
                at: start.range.lowerBound..<lastOffset)
        }
    }

    private mutating func parsePoint() throws(PredicateTextError) -> GeoPoint {
        let start = token
        try require("[", "before the longitude and latitude of a point")
        var numbers = [try parseCoordinate()]
        while take(",") { numbers.append(try parseCoordinate()) }
        try require("]", "after the coordinates of a point")
        guard numbers.count == 2 || numbers.count == 3,
            let point = GeoPoint(numbers[1], numbers[0], numbers.count > 2 ? numbers[2] : 0)
        else {
            throw error(
                "A point is [longitude, latitude], from -180 to 180 and from -90 to 90.",
                at: start.range.lowerBound..<lastOffset)
        }
        return point
    }

    private mutating func parseCoordinate() throws(PredicateTextError) -> Double {
        let start = token
        let term = try parseOperand()
        switch term.value {
        case .int(let value)?: return Double(value)
        case .float(let value)?: return Double(value)
        case .double(let value)?: return value
        default:
            throw error(
                "Expected a number.", at: start.range.lowerBound..<term.range.upperBound)
        }
    }
}
