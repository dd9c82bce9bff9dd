#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point in time, in milliseconds since 1970: all of 64 bits, so years before and after `Date`'s.
public struct BSONDateTime: Sendable, Hashable, Comparable {
    /// Milliseconds since the first instant of 1970, without leap seconds.
    public var milliseconds: Int64

    /// The point in time at a number of milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The millisecond nearest to a date; the last one that there is for dates beyond all.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        self.milliseconds =
            Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// The date; exact to the millisecond for 100,000 years around 1970.
    public var date: Date {
        // `Date` counts from 2001. A quotient is rounded once, and its sum with that twice.
        let (sinceReference, overflow) = milliseconds.subtractingReportingOverflow(
            978_307_200_000)
        return overflow
            ? Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            : Date(timeIntervalSinceReferenceDate: Double(sinceReference) / 1_000)
    }

    /// Whether one point in time is before another.
    public static func < (left: BSONDateTime, right: BSONDateTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
