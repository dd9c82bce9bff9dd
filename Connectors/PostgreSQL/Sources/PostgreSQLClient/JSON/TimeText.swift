/// Points in time as ISO 8601 has them, of the texts that the server writes.
enum TimeText {
    /// Why there is no such text.
    enum Failure: Error {
        case isInfinite
        /// The year is not one of 0 to 9999, or a fraction has more than milliseconds.
        case isBeyondDocuments
        case isMalformed
    }

    /// Appends the text of `date`, `timestamp` or `timestamptz` in UTC, in the style ISO:
    /// "2026-01-02", "2026-01-02 03:04:05.5", "0044-03-15 00:00:00+00 BC".
    ///
    /// Years before 0 and after 9999 get a sign, as ISO 8601 says: the year 1 BC is 0000, 2 BC
    /// is -0001.
    ///
    /// - Parameter isForDocuments: whether it must be one that Extended JSON has.
    static func append(
        _ text: UnsafeRawBufferPointer, isForDocuments: Bool, to bytes: inout [UInt8]
    ) throws(Failure) {
        var rest = String(decoding: text, as: UTF8.self)[...]
        if rest.hasSuffix("infinity") { throw .isInfinite }
        let isBeforeChrist = rest.hasSuffix(" BC")
        if isBeforeChrist { rest.removeLast(3) }
        if rest.hasSuffix("+00") { rest.removeLast(3) }
        let parts = rest.split(separator: " ", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let dash = parts[0].firstIndex(of: "-"),
            let writtenYear = Int(parts[0][..<dash]), parts[0][dash...].utf8.count == 6
        else { throw .isMalformed }
        let clock = parts.count == 2 ? parts[1] : "00:00:00"
        // A zone would be another than UTC.
        guard clock.utf8.count >= 8, clock.utf8.allSatisfy({ $0 != 0x2b && $0 != 0x2d }) else {
            throw .isMalformed
        }
        let year = isBeforeChrist ? 1 - writtenYear : writtenYear
        if isForDocuments, !(0...9999).contains(year) || clock.utf8.count > 12 {
            throw .isBeyondDocuments
        }
        let digits = String(abs(year))
        let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        bytes.append(contentsOf: "\(sign)\(zeros)\(digits)\(parts[0][dash...])T\(clock)Z".utf8)
    }
}
