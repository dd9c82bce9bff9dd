/// Which points are kept, by their age: all of a time, then the last of each hour, then the last of
/// each day. The newest point is always kept. The last point of a history counts as the last of its
/// hour and day: it has what the store held before it was put back.
public struct RetentionRules: Sendable, Hashable {
    /// All points that are no older.
    public var all = Duration.seconds(24 * 3600)
    /// The last point of each hour, of those that are no older.
    public var hourly = Duration.seconds(7 * 24 * 3600)
    /// The last point of each day (UTC), of those that are no older.
    public var daily = Duration.seconds(30 * 24 * 3600)

    private static let hourMilliseconds: Int64 = 3_600_000
    private static let dayMilliseconds: Int64 = 24 * hourMilliseconds

    /// A day of all points, a week of hours, 30 days.
    public init() {}

    /// The points to keep of some, which are in the order of their numbers, at a time.
    func kept(of points: [PointSummary], at now: Int64) -> Set<UInt64> {
        var kept: Set<UInt64> = []
        if let newest = points.last { kept.insert(newest.number) }
        for (place, point) in points.enumerated() {
            let age = now - point.timeMilliseconds
            let next = place + 1 < points.count ? points[place + 1] : nil
            func isLast(in milliseconds: Int64) -> Bool {
                guard let next, next.history == point.history else { return true }
                return next.timeMilliseconds.bucket(milliseconds)
                    != point.timeMilliseconds.bucket(milliseconds)
            }
            let isKept =
                age <= all.milliseconds
                || age <= hourly.milliseconds && isLast(in: Self.hourMilliseconds)
                || age <= daily.milliseconds && isLast(in: Self.dayMilliseconds)
            if isKept { kept.insert(point.number) }
        }
        return kept
    }
}

extension Int64 {
    /// Which of the stretches of so many milliseconds since 1970 a time is in.
    fileprivate func bucket(_ milliseconds: Int64) -> Int64 { self / milliseconds }
}
