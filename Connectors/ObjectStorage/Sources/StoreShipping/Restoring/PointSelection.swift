/// Which point, or which commit, is restored.
public enum PointSelection: Sendable, Hashable {
    /// The newest one.
    case newest
    /// The newest one that is not after a time, in milliseconds since 1970.
    case time(milliseconds: Int64)
    /// The newest commit of a history whose LSN is not after this one, also if it lies between two
    /// points; nil for the newest history. The history has a point with this LSN or a later one.
    case lsn(UInt64, history: UInt64?)
    /// The one of this number.
    case number(UInt64)

    /// The LSN that is asked for.
    var lsn: UInt64? {
        if case .lsn(let lsn, _) = self { lsn } else { nil }
    }

    /// The point of some, which are in the order of their numbers, that a restore begins with.
    ///
    /// Throws `ShippingError.noSuchPoint`.
    func choose(from points: [PointSummary]) throws -> PointSummary {
        guard let newest = points.last, let oldest = points.first else {
            throw ShippingError.noSuchPoint("The backup has no point yet.")
        }
        let found: PointSummary?
        let wish: String
        switch self {
        case .newest: return newest
        case .time(let milliseconds):
            wish = "no point that old: the oldest is of \(UTCText(oldest.timeMilliseconds))"
            found = points.last { $0.timeMilliseconds <= milliseconds }
        case .lsn(let lsn, let history):
            let history = history ?? newest.history
            try Self.check(lsn, points.last { $0.history == history }, in: history)
            wish = "no point of history \(history) with LSN \(lsn) or an earlier one"
            found = points.last { $0.history == history && $0.lsn <= lsn }
        case .number(let number):
            wish = "no point \(number), or not any more"
            found = points.last { $0.number == number }
        }
        guard let found else {
            throw ShippingError.noSuchPoint(
                "The backup has \(wish). `travertine-ship points` lists what there is.")
        }
        return found
    }

    /// Throws unless an LSN is at most that of the newest point of its history. A greater one is
    /// mostly a mistake, such as a date without `-`.
    private static func check(
        _ lsn: UInt64, _ newest: PointSummary?, in history: UInt64
    ) throws {
        if let newest, lsn <= newest.lsn { return }
        let fault =
            newest.map {
                "no LSN \(lsn) in history \(history): the newest point of it, \($0.number), has LSN "
                    + "\($0.lsn)"
            } ?? "no point of history \(history), or not any more"
        throw ShippingError.noSuchPoint(
            "The backup has \(fault). --at takes an LSN, HISTORY:LSN, or a time of UTC such as "
                + "2026-05-01T12:00; `travertine-ship points` lists what there is.")
    }
}
