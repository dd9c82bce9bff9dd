/// The repetitions of one value: the median, and the range where it is wide.
public struct Cell: Sendable, Codable, Equatable {
    /// The middle one of the sorted values; the mean of both if their number is even.
    public let median: Double
    /// The smallest value.
    public let minimum: Double
    /// The largest value.
    public let maximum: Double

    /// The summary of some values; nil if there are none.
    public init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median =
            sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = first
        maximum = last
    }

    /// Whether the values differ by more than 20 % of the median, so that the range must be shown.
    public var isWide: Bool { maximum - minimum > 0.2 * abs(median) }

    /// The median, followed by the range if it is wide.
    public func formatted(_ format: (Double) -> String = shortNumber) -> String {
        isWide
            ? "\(format(median)) (\(format(minimum))–\(format(maximum)))" : format(median)
    }
}

/// A number with about three digits and a suffix: 0.395, 24.7, 274k, 15.9M.
public func shortNumber(_ value: Double) -> String {
    let size = abs(value)
    if size >= 1e9 { return decimals(value / 1e9, 2) + "G" }
    if size >= 1e6 { return decimals(value / 1e6, 2) + "M" }
    if size >= 1e5 { return decimals(value / 1e3, 0) + "k" }
    if size >= 1e4 { return decimals(value / 1e3, 1) + "k" }
    if size >= 1e3 { return decimals(value / 1e3, 2) + "k" }
    if size >= 100 { return decimals(value, 0) }
    if size >= 10 { return decimals(value, 1) }
    if size >= 1 { return decimals(value, 2) }
    return value == 0 ? "0" : decimals(value, 3)
}

/// A number with a fixed count of digits after the point.
public func decimals(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let whole = "\(sign)\(scaled / Int64(scale))"
    if digits == 0 { return whole }
    let fraction = String(scaled % Int64(scale))
    return whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
}
