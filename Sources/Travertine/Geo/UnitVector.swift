#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A point of the unit sphere.
struct UnitVector: Equatable {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    init(_ point: GeoPoint) {
        let latitude = point.latitude * .pi / 180
        let longitude = point.longitude * .pi / 180
        let radius = abs(point.latitude) == 90 ? 0 : cos(latitude)
        self.init(radius * cos(longitude), radius * sin(longitude), sin(latitude))
    }

    /// Which side of the great circle from `a` through `b` the point `c` lies on.
    ///
    /// 1 to the left, -1 to the right, 0 on the circle. The sign is exact for the three vectors:
    /// where doubles do not decide it, the determinant is expanded without rounding. (Terms
    /// below 1e-290, of vectors that close to a pole or to each other, would be lost.)
    static func side(_ a: UnitVector, _ b: UnitVector, _ c: UnitVector) -> Int {
        let determinant =
            a.x * (b.y * c.z - b.z * c.y)
            + a.y * (b.z * c.x - b.x * c.z)
            + a.z * (b.x * c.y - b.y * c.x)
        // Six products of three factors of at most 1: fewer than 16 roundings of half an ulp.
        if abs(determinant) > 4e-15 { return determinant > 0 ? 1 : -1 }
        return exactSide(a, b, c)
    }

    private static func exactSide(_ a: UnitVector, _ b: UnitVector, _ c: UnitVector) -> Int {
        var sum = ExactSum()
        sum.add(a.x, b.y, c.z)
        sum.add(-a.x, b.z, c.y)
        sum.add(a.y, b.z, c.x)
        sum.add(-a.y, b.x, c.z)
        sum.add(a.z, b.x, c.y)
        sum.add(-a.z, b.y, c.x)
        return sum.sign
    }
}

/// A sum of products that loses no bit: doubles, none overlapping another, smallest first.
struct ExactSum {
    private var parts: [Double] = []

    /// Adds the product of three numbers.
    mutating func add(_ a: Double, _ b: Double, _ c: Double) {
        let (product, rest) = Self.product(a, b)
        for factor in [rest, product] {
            let (upper, lower) = Self.product(factor, c)
            add(lower)
            add(upper)
        }
    }

    /// Adds one number.
    mutating func add(_ number: Double) {
        var carried = number
        var grown: [Double] = []
        for part in parts {
            let sum = carried + part
            let virtual = sum - carried
            let rest = (carried - (sum - virtual)) + (part - virtual)
            if rest != 0 { grown.append(rest) }
            carried = sum
        }
        if carried != 0 { grown.append(carried) }
        parts = grown
    }

    /// The sign of the sum: that of its largest part.
    var sign: Int {
        guard let largest = parts.last else { return 0 }
        return largest > 0 ? 1 : -1
    }

    /// The product as a rounded number and what rounding took.
    private static func product(_ a: Double, _ b: Double) -> (Double, Double) {
        let product = a * b
        return (product, (-product).addingProduct(a, b))
    }
}
