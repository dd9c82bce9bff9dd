import Foundation

/// Numbers for people: thousands apart, bytes and durations with a unit that suits them.
enum Figures {
    /// `1234567` as `1,234,567`.
    static func count(_ number: some BinaryInteger) -> String {
        var groups: [Substring] = []
        var rest = Substring(String(number.magnitude))
        while rest.count > 3 {
            groups.append(rest.suffix(3))
            rest = rest.dropLast(3)
        }
        groups.append(rest)
        return (number < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }

    /// A number and the noun that it counts.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(count(number)) \(noun)"
            + (number == 1 ? "" : noun.hasSuffix("ch") || noun.hasSuffix("s") ? "es" : "s")
    }

    /// A number of records.
    static func records(_ number: Int) -> String { count(number, "record") }

    /// Bytes with a unit of 1024 steps.
    static func bytes(_ count: some BinaryInteger) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(count)
        var place = 0
        while value >= 1024, place < units.count - 1 {
            value /= 1024
            place += 1
        }
        return place == 0 ? "\(count) B" : String(format: "%.1f ", value) + units[place]
    }

    /// Nanoseconds with a unit that leaves one to four digits before the point.
    static func duration(nanoseconds: some BinaryInteger) -> String {
        let value = Double(nanoseconds)
        if value < 1e3 { return "\(nanoseconds) ns" }
        if value < 1e6 { return String(format: "%.1f µs", value / 1e3) }
        if value < 1e9 { return String(format: "%.1f ms", value / 1e6) }
        return String(format: "%.2f s", value / 1e9)
    }
}
