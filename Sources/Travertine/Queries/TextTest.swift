/// Looks for a text in strings. Without options it compares bytes; with them it compares folded
/// characters, and makes a string only where a byte is not ASCII or marks are to be ignored.
final class TextTest: RowTest {
    private let reader: PropertyReader
    private let comparison: FormerPredicate.TextComparison
    private let options: StringOptions
    private let wanted: [UInt8]

    init(
        _ reader: PropertyReader, _ comparison: FormerPredicate.TextComparison, _ text: String,
        _ options: StringOptions
    ) {
        self.reader = reader
        self.comparison = comparison
        self.options = options
        wanted = options.isEmpty ? Array(text.utf8) : TextFolding.folded(text, options)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .bytes(let bytes) = value else { return false }
            return wanted.withUnsafeBytes { wanted in
                if options.isEmpty { return holds(bytes, wanted) }
                if bytes.allSatisfy({ $0 < 0x80 }) {
                    guard options.contains(.caseInsensitive) else {
                        return holds(bytes, wanted)
                    }
                    return withUnsafeTemporaryAllocation(
                        byteCount: max(1, bytes.count), alignment: 1
                    ) { folded in
                        for position in 0..<bytes.count {
                            folded[position] = TextFolding.lowercased(bytes[position])
                        }
                        return holds(
                            UnsafeRawBufferPointer(rebasing: folded[..<bytes.count]), wanted)
                    }
                }
                let folded = TextFolding.folded(String(decoding: bytes, as: UTF8.self), options)
                return folded.withUnsafeBytes { holds($0, wanted) }
            }
        }
    }

    @inline(__always)
    private func holds(
        _ text: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer
    ) -> Bool {
        switch comparison {
        case .equals: text.isSame(as: wanted)
        case .contains: text.contains(wanted)
        case .starts: text.begins(with: wanted)
        case .ends: text.ends(with: wanted)
        case .like: Self.matches(text, pattern: wanted)
        }
    }

    /// Whether a pattern with `?` and `*` matches the whole text; the one star that was found last
    /// is the only one that must be tried again.
    private static func matches(
        _ text: UnsafeRawBufferPointer, pattern: UnsafeRawBufferPointer
    ) -> Bool {
        var position = 0
        var wanted = 0
        var star: (wanted: Int, position: Int)?
        while position < text.count {
            if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "*") {
                star = (wanted, position)
                wanted += 1
            } else if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "?") {
                wanted += 1
                position = characterEnd(text, position)
            } else if wanted < pattern.count, pattern[wanted] == text[position] {
                wanted += 1
                position += 1
            } else if let last = star {
                let next = characterEnd(text, last.position)
                star = (last.wanted, next)
                wanted = last.wanted + 1
                position = next
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func characterEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
