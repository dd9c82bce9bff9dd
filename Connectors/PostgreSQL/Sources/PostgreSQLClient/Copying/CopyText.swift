/// Rows in the text format of COPY, in a buffer that can be used again.
///
/// One row is its fields, separated by tabs, and a newline; NULL is `\N`; in texts the characters
/// backslash, tab, newline and carriage return are written `\\`, `\t`, `\n` and `\r` (PostgreSQL's
/// documentation, "COPY", "Text Format").
///
/// To append a field allocates nothing unless the buffer must grow.
public struct CopyText: Sendable {
    /// What was appended and not removed.
    public private(set) var bytes: [UInt8] = []
    /// Whether the next field is the first of its row.
    private var isAtRowStart = true

    private static let backslash: UInt8 = 0x5c
    /// Of the largest number of 64 bits.
    private static let digitCountMax = 20

    /// An empty buffer.
    public init() {}

    /// How many bytes there are.
    public var byteCount: Int { bytes.count }

    /// Removes all rows, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        isAtRowStart = true
    }

    /// Ends the row.
    public mutating func endRow() {
        bytes.append(0x0a)
        isAtRowStart = true
    }

    /// Removes what was appended after there were so many bytes, which must be the end of a row.
    mutating func removeRow(from byteCount: Int) {
        bytes.removeSubrange(byteCount...)
        isAtRowStart = true
    }

    private mutating func beginField() {
        if !isAtRowStart { bytes.append(0x09) }
        isAtRowStart = false
    }

    /// Appends NULL.
    public mutating func appendNull() {
        beginField()
        bytes.append(Self.backslash)
        bytes.append(0x4e)
    }

    /// Appends a truth value: `t` or `f`.
    public mutating func append(_ value: Bool) {
        beginField()
        bytes.append(value ? 0x74 : 0x66)
    }

    /// Appends a whole number.
    public mutating func append(_ value: Int) { append(Int64(value)) }

    /// Appends a whole number.
    public mutating func append(_ value: Int64) {
        append(magnitude: value.magnitude, isNegative: value < 0)
    }

    /// Appends a whole number.
    public mutating func append(_ value: UInt64) {
        append(magnitude: value, isNegative: false)
    }

    private mutating func append(magnitude: UInt64, isNegative: Bool) {
        // On the stack: digits come last first, and one call that appends is faster than several.
        let byteCountMax = Self.digitCountMax + 2
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCountMax) { digits in
            var rest = magnitude
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if isNegative {
                start -= 1
                digits[start] = 0x2d
            }
            if !isAtRowStart {
                start -= 1
                digits[start] = 0x09
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
        isAtRowStart = false
    }

    /// Appends a number with the fewest digits that give the same bits back; `NaN`, `Infinity` and
    /// `-Infinity` for what is none.
    public mutating func append(_ value: Double) {
        beginField()
        if value.isFinite {
            var output = DigitOutput(bytes: consumeBytes())
            value.write(to: &output)
            bytes = output.bytes
        } else {
            appendNonFinite(isNaN: value.isNaN, isNegative: value < 0)
        }
    }

    /// Appends a number for a column of type `real`, as the one for `Double` does.
    public mutating func append(_ value: Float) {
        beginField()
        if value.isFinite {
            var output = DigitOutput(bytes: consumeBytes())
            value.write(to: &output)
            bytes = output.bytes
        } else {
            appendNonFinite(isNaN: value.isNaN, isNegative: value < 0)
        }
    }

    private mutating func appendNonFinite(isNaN: Bool, isNegative: Bool) {
        let text: StaticString = isNaN ? "NaN" : isNegative ? "-Infinity" : "Infinity"
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Takes the buffer, so that it has one owner while something else appends to it.
    private mutating func consumeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Appends a text.
    ///
    /// - Throws: `.nulCharacter` for one that has U+0000; then nothing was appended, and the caller
    ///   may append another value instead.
    public mutating func append(_ value: String) throws(PostgreSQLError) {
        let isWritten = value.utf8.withContiguousStorageIfAvailable { appendEscaped($0) }
        // A string that is bridged from another language has no such storage.
        guard isWritten ?? Array(value.utf8).withUnsafeBufferPointer({ appendEscaped($0) }) else {
            throw .nulCharacter
        }
    }

    /// Appends a text of UTF-8, which is not checked here: the server refuses what is none (22021).
    ///
    /// Literals of arrays and of JSON are texts too.
    ///
    /// - Throws: `.nulCharacter` as for a string.
    public mutating func append(
        utf8 text: UnsafeRawBufferPointer
    ) throws(PostgreSQLError) {
        let isWritten = text.withMemoryRebound(to: UInt8.self) { appendEscaped($0) }
        if !isWritten { throw .nulCharacter }
    }

    /// Appends bytes for a column of type `bytea`, in hexadecimal form.
    public mutating func append(bytea value: UnsafeRawBufferPointer) {
        beginField()
        bytes.append(Self.backslash)
        bytes.append(Self.backslash)
        bytes.append(0x78)
        let blockByteCount = 256
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * blockByteCount) { block in
            let digits = Hexadecimal.digits.utf8Start
            var rest = value[...]
            while !rest.isEmpty {
                var count = 0
                for byte in rest.prefix(blockByteCount) {
                    block[count] = digits[Int(byte >> 4)]
                    block[count + 1] = digits[Int(byte & 15)]
                    count += 2
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: block[..<count]))
                rest = rest.dropFirst(blockByteCount)
            }
        }
    }

    /// Appends bytes for a column of type `bytea`, in hexadecimal form.
    public mutating func append(bytea value: [UInt8]) {
        value.withUnsafeBytes { append(bytea: $0) }
    }

    /// False, and nothing appended, for a text that has a NUL.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let (start, wasAtRowStart) = (bytes.count, isAtRowStart)
        beginField()
        var (written, offset) = (0, 0)
        while offset < text.count {
            if offset + 8 <= text.count, !Self.hasEscape(text, at: offset) {
                offset += 8
                continue
            }
            let escape: UInt8
            switch text[offset] {
            case 0x5c: escape = 0x5c
            case 0x09: escape = 0x74
            case 0x0a: escape = 0x6e
            case 0x0d: escape = 0x72
            case 0:
                bytes.removeSubrange(start...)
                isAtRowStart = wasAtRowStart
                return false
            default:
                offset += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written..<offset]))
            bytes.append(Self.backslash)
            bytes.append(escape)
            offset += 1
            written = offset
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written...]))
        return true
    }

    /// Whether one of eight bytes is a backslash or below 14, as are NUL and all that is escaped.
    ///
    /// Subtracting from each byte of a word borrows into its highest bit where it is smaller; what
    /// a borrow from a byte before makes look smaller is looked at once more, one by one.
    private static func hasEscape(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UnsafeRawBufferPointer(text).loadUnaligned(
            fromByteOffset: offset, as: UInt64.self)
        let difference = word ^ (ones &* UInt64(backslash))
        let isLow = (word &- ones &* 14) & ~word
        let isBackslash = (difference &- ones) & ~difference
        return (isLow | isBackslash) & (ones << 7) != 0
    }
}

/// Collects the digits of a number.
private struct DigitOutput: TextOutputStream {
    var bytes: [UInt8]

    mutating func write(_ string: String) { bytes.append(contentsOf: string.utf8) }

    /// Called by the standard library with the digits, where `write` would get a string that is
    /// allocated if it is longer than 15 bytes.
    mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: buffer)
    }
}
