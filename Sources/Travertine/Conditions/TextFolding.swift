@_spi(_Unicode) import Swift

/// The characters in which texts are compared that count as alike under options (Q10).
enum TextFolding {
    static func folded(_ text: String, _ options: StringOptions) -> [UInt8] {
        var text = options.contains(.caseInsensitive) ? text.lowercased() : text
        if options.contains(.diacriticInsensitive) {
            var scalars = String.UnicodeScalarView()
            for scalar in text._nfd
            where scalar.properties.generalCategory != .nonspacingMark {
                scalars.append(scalar)
            }
            text = String(scalars)
        }
        return Array(text.utf8)
    }

    /// Calls `body` with the folded form of a text's bytes; makes a string only where a byte is not
    /// ASCII.
    @inline(__always)
    static func withFolded<Result>(
        _ bytes: UnsafeRawBufferPointer, _ options: StringOptions,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        if options.isEmpty { return try body(bytes) }
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            let folded = folded(String(decoding: bytes, as: UTF8.self), options)
            return try folded.withUnsafeBytes(body)
        }
        guard options.contains(.caseInsensitive) else { return try body(bytes) }
        return try withUnsafeTemporaryAllocation(
            byteCount: max(1, bytes.count), alignment: 1
        ) { folded in
            for position in 0..<bytes.count {
                let byte = bytes[position]
                folded[position] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            return try body(UnsafeRawBufferPointer(rebasing: folded[..<bytes.count]))
        }
    }
}

extension Comparison.Operation {
    /// Whether a text, folded already, has the other in it in this way.
    @inline(__always)
    func holds(text: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .equal, .isIn: text.isSame(as: wanted)
        case .notEqual: !text.isSame(as: wanted)
        case .contains: text.contains(wanted)
        case .beginsWith: text.begins(with: wanted)
        case .endsWith: text.ends(with: wanted)
        case .like: TextPattern.matches(text, pattern: wanted)
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .isBetween: false
        }
    }
}

/// Patterns in which `?` is any character and `*` any number of them (Q11).
enum TextPattern {
    private static let backslash = UInt8(ascii: "\\")

    /// Whether a pattern matches the whole text; the one star that was found last is the only one
    /// that must be tried again.
    static func matches(
        _ text: UnsafeRawBufferPointer, pattern: UnsafeRawBufferPointer
    ) -> Bool {
        var position = 0
        var wanted = 0
        var star: (wanted: Int, position: Int)?
        while position < text.count {
            if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "*") {
                star = (wanted, position)
                wanted += 1
                continue
            }
            if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "?") {
                wanted += 1
                position = characterEnd(text, position)
                continue
            }
            let literal = isEscape(pattern, wanted) ? wanted + 1 : wanted
            if literal < pattern.count, pattern[literal] == text[position] {
                wanted = literal + 1
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
        return pattern[min(wanted, pattern.count)...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Whether a backslash makes the next character an ordinary one.
    private static func isEscape(_ pattern: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        guard position + 1 < pattern.count, pattern[position] == backslash else { return false }
        let next = pattern[position + 1]
        return next == backslash || next == UInt8(ascii: "?") || next == UInt8(ascii: "*")
    }

    private static func characterEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
