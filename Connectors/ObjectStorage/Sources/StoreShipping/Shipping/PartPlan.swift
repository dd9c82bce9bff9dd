/// Which parts of a file stay, and which ranges of it are put, when the file has grown.
///
/// Parts lie inside cells of 8 MiB, and a cell that the file has filled is one part. In the last
/// cell a part is put for what is new; when there are `mergeCount` of about one size they are put
/// once more as one. So a byte is put about five times in all, and a segment of 64 MiB has at most
/// about fifty parts, whatever it grew by. A file that grows no longer has one part in each cell.
struct PartPlan: Equatable {
    /// The largest part, and the size of a cell.
    static let partByteCountMax = 8 << 20
    /// So many parts of about one size become one.
    static let mergeCount = 16

    /// The parts that stay, from the first on.
    var keptCount: Int
    /// What is put: from the end of the parts that stay to the end of the file.
    var ranges: [Range<UInt64>]

    /// - Parameters:
    ///   - parts: those that are stored, of no more than `byteCount` bytes.
    ///   - byteCount: the length of the file.
    ///   - isGrowing: whether the file may grow further.
    init(parts: [ShippedPart], byteCount: UInt64, isGrowing: Bool) {
        let known = parts.last?.end ?? 0
        precondition(known <= byteCount, "a file does not become shorter")
        let cell = UInt64(Self.partByteCountMax)
        func start(_ place: Int) -> UInt64 { place == 0 ? 0 : parts[place - 1].end }
        let cellStart = known / cell * cell
        var firstInCell = parts.count
        while firstInCell > 0, start(firstInCell - 1) >= cellStart, known > cellStart {
            firstInCell -= 1
        }
        keptCount = parts.count
        if byteCount >= cellStart + cell || !isGrowing {
            let isOnePart = parts.count - firstInCell == 1 && known == byteCount
            if !isOnePart { keptCount = firstInCell }
        } else if known < byteCount {
            var size = byteCount - known
            while true {
                var first = keptCount
                while first > firstInCell,
                    Self.level(start(first) - start(first - 1)) <= Self.level(size)
                {
                    first -= 1
                }
                guard keptCount - first >= Self.mergeCount - 1 else { break }
                size += start(keptCount) - start(first)
                keptCount = first
            }
        }
        ranges = []
        var place = start(keptCount)
        while place < byteCount {
            let end = min((place / cell + 1) * cell, byteCount)
            ranges.append(place..<end)
            place = end
        }
    }

    /// Sizes of one level count as the same: up to 16 KiB, 256 KiB, 4 MiB, more.
    private static func level(_ byteCount: UInt64) -> Int {
        byteCount <= 16 << 10 ? 0 : byteCount <= 256 << 10 ? 1 : byteCount <= 4 << 20 ? 2 : 3
    }
}
