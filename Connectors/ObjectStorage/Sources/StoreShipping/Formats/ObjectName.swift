/// The keys of objects, relative to the prefix of a backup.
///
///     manifest                                         the newest state, replaced
///     pruned                                           when points were last removed
///     points/NNNNNNNNNNNNNNNN-MILLISECONDS-LSN-HISTORY a point that is not the newest
///     lists/NNNNNNNNNNNNNNNN-SHA256                    files that several points share
///     data/FILE-MARK/NNNNNNNNNNNNNNNN-START-END-SHA256 a part of a file
///
/// N is the number of a point, in 16 decimal digits: in `lists` and `data` that of the first point
/// that refers to the object (U4).
enum ObjectName {
    static let manifest = "manifest"
    static let pruned = "pruned"
    static let points = "points/"
    static let lists = "lists/"
    static let data = "data/"
    private static let digitCount = 16

    static func point(_ point: PointSummary) -> String {
        points
            + "\(digits(point.number))-\(point.timeMilliseconds)-\(point.lsn)-\(point.history)"
    }

    static func list(_ list: ListReference) -> String {
        "\(lists)\(digits(list.point))-\(list.sha256.text)"
    }

    /// What the keys of all parts of a file begin with.
    static func parts(of name: String, mark: HexadecimalNumber) -> String {
        "\(data)\(name)-\(mark.text)/"
    }

    static func part(
        _ part: ShippedPart, from start: UInt64, of name: String, mark: HexadecimalNumber
    ) -> String {
        parts(of: name, mark: mark)
            + "\(digits(part.point))-\(start)-\(part.end)-\(part.sha256.text)"
    }

    /// What a key of `points` says; nil for another key.
    static func summary(inPointKey key: String) -> PointSummary? {
        guard key.hasPrefix(points) else { return nil }
        let fields = key.dropFirst(points.utf8.count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard fields.count == 4, let number = number(fields[0]), let time = Int64(fields[1]),
            let lsn = UInt64(fields[2]), let history = UInt64(fields[3])
        else { return nil }
        return PointSummary(number: number, history: history, timeMilliseconds: time, lsn: lsn)
    }

    /// The number of the first point that refers to an object of `lists` or `data`; nil for another
    /// key, such as one of a backup whose prefix is inside of that of this one.
    static func firstPoint(inKey key: String) -> UInt64? {
        let components = key.split(separator: "/", omittingEmptySubsequences: false)
        let fields = components[components.count - 1].split(
            separator: "-", omittingEmptySubsequences: false)
        guard let last = fields.last, ContentHash(String(last)) != nil else { return nil }
        if key.hasPrefix(lists), components.count == 2, fields.count == 2 {
            return number(fields[0])
        }
        guard key.hasPrefix(data), components.count == 3, fields.count == 4,
            UInt64(fields[1]) != nil, UInt64(fields[2]) != nil
        else { return nil }
        let file = components[1].split(separator: "-", omittingEmptySubsequences: false)
        guard file.count == 2, HexadecimalNumber(file[1]) != nil else { return nil }
        return number(fields[0])
    }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digitCount - text.utf8.count)) + text
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard text.utf8.count == digitCount, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
            return nil
        }
        return UInt64(text)
    }
}
