import TravertineStore

/// Reads the fields of a structure one after the other and keeps each with its place and its text.
struct FieldReader {
    private let bytes: UnsafeRawBufferPointer
    private let start: Int
    private var position = 0
    private(set) var fields: [FileInspection.Field] = []

    /// The bytes of a structure that stands at `start` in its file.
    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        self.bytes = bytes
        self.start = start
    }

    /// A little-endian number; nil, and no field, where the structure ends.
    @discardableResult
    mutating func number<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ name: String, _ type: Integer.Type, _ text: (Integer) -> String = { "\($0)" }
    ) -> Integer? {
        let width = MemoryLayout<Integer>.size
        guard position + width <= bytes.count else { return nil }
        let value = Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: type))
        add(name, width, text(value))
        return value
    }

    /// Bytes as text, and in hexadecimal digits where they are none.
    mutating func bytes(_ name: String, _ count: Int, shown countMax: Int = 256) {
        let count = max(0, min(count, bytes.count - position))
        let shown = bytes[position..<position + min(count, countMax)]
        let more = count > countMax ? " … (\(count) bytes)" : ""
        let isText = shown.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
        if isText, let text = String(validating: shown, as: UTF8.self) {
            add(name, count, "“\(text)”\(more)")
        } else {
            add(name, count, shown.map { hex($0, 2) }.joined() + more)
        }
    }

    /// A UUID of 16 bytes, each half a number in the order given by `highFirst`.
    mutating func uuid(_ name: String, highFirst: Bool) {
        guard position + 16 <= bytes.count else { return }
        let first = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let second = bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
        let (high, low) = highFirst ? (first, second) : (second, first)
        let digits = hex(high, 16) + hex(low, 16)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        add(name, 16, text)
    }

    /// Skips bytes that say nothing; a field only if they are not zero.
    mutating func zeros(_ count: Int) {
        let end = min(position + count, bytes.count)
        if bytes[min(position, end)..<end].contains(where: { $0 != 0 }) {
            add("should be zero", end - position, "is not")
        } else {
            position = end
        }
    }

    /// Goes to a place in the structure.
    mutating func move(to position: Int) { self.position = min(max(position, 0), bytes.count) }

    private mutating func add(_ name: String, _ byteCount: Int, _ value: String) {
        fields.append(
            FileInspection.Field(
                offset: start + position, byteCount: byteCount, name: name, value: value))
        position += byteCount
    }
}

/// A number in at least so many hexadecimal digits.
func hex<Number: BinaryInteger>(_ number: Number, _ digitCount: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
