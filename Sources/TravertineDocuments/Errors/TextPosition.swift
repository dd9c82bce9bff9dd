/// A place in a text.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
    /// Bytes before the place.
    public let offset: Int
    /// The line, from 1.
    public let line: Int
    /// The byte in the line, from 1.
    public let column: Int

    init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// The place at an offset of a text.
    init(offset: Int, in text: UnsafeRawBufferPointer) {
        let before = text.prefix(offset)
        self.offset = offset
        line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        column = offset - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
    }

    /// "line 3, column 7 (byte 52)".
    public var description: String { "line \(line), column \(column) (byte \(offset))" }
}
