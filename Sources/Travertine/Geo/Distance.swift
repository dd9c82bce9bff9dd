/// A distance on the Earth's surface, stored as an angle at its centre.
///
/// Kilometres and miles are converted with the equatorial radius of 6378.1 km, as RealmSwift does.
public struct Distance: Sendable, Hashable, Comparable {
    /// The angle in radians.
    public let radians: Double

    private static let earthRadiusKilometers = 6_378.1
    private static let kilometersPerMile = 1.609344

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// A distance in kilometres; nil if it is below zero or not a number.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(kilometers / earthRadiusKilometers)
    }

    /// A distance in miles of 1609.344 m; nil if it is below zero or not a number.
    public static func miles(_ miles: Double) -> Distance? {
        Distance(miles * kilometersPerMile / earthRadiusKilometers)
    }

    /// A distance in degrees of arc; nil if it is below zero or not a number.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(degrees * .pi / 180)
    }

    /// A distance in radians; nil if it is below zero or not a number.
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * Self.earthRadiusKilometers }

    /// The distance in miles of 1609.344 m.
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }

    /// The distance in degrees of arc.
    public func asDegrees() -> Double { radians * 180 / .pi }

    /// The distance in radians.
    public func asRadians() -> Double { radians }

    /// Whether one distance is shorter than another.
    public static func < (left: Distance, right: Distance) -> Bool { left.radians < right.radians }
}

extension Distance: CustomStringConvertible {
    /// The angle: "0.25 radians".
    public var description: String { "\(radians) radians" }
}
