/// Entries of an index from a first key on, up to one that does not belong to them any more.
struct KeyRange: Equatable {
    var lower: [UInt8]
    /// The key after the last one; nil for no bound.
    var upper: [UInt8]?
    /// Whether all entries have the same values, so that they are in the order of objects.
    var isPoint = false

    /// Whether a key belongs to it.
    func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        lower.withUnsafeBytes { key.order(to: $0) >= 0 }
            && upper.map { $0.withUnsafeBytes { key.order(to: $0) < 0 } } ?? true
    }

    /// The first key after all that begin with a prefix; nil if there is none.
    static func successor(of prefix: [UInt8]) -> [UInt8]? {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 255 {
                bytes.append(last + 1)
                return bytes
            }
        }
        return nil
    }

    /// The entries that begin with a prefix.
    static func beginning(with prefix: [UInt8], isPoint: Bool = false) -> KeyRange {
        KeyRange(lower: prefix, upper: successor(of: prefix), isPoint: isPoint)
    }

    /// Ranges in key order, none of which overlaps another.
    static func merged(_ ranges: [KeyRange]) -> [KeyRange] {
        if ranges.count < 2 { return ranges.filter { !$0.isEmpty } }
        var merged: [KeyRange] = []
        merged.reserveCapacity(ranges.count)
        let sorted = ranges.sorted { Self.isLess($0.lower, $1.lower) }
        for range in sorted where !range.isEmpty {
            guard let last = merged.last, last.overlaps(range) else {
                merged.append(range)
                continue
            }
            if last == range { continue }
            var upper = last.upper
            if let bound = upper {
                if let other = range.upper {
                    upper = Self.isLess(bound, other) ? other : bound
                } else {
                    upper = nil
                }
            }
            merged[merged.count - 1] = KeyRange(lower: last.lower, upper: upper)
        }
        return merged
    }

    private var isEmpty: Bool { upper.map { !Self.isLess(lower, $0) } ?? false }

    /// Whether a range that begins no earlier has keys of this one.
    private func overlaps(_ later: KeyRange) -> Bool {
        upper.map { Self.isLess(later.lower, $0) } ?? true
    }

    private static func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.order(to: $0) < 0 } }
    }
}
