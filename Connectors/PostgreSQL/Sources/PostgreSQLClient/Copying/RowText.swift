/// Rows as text that a statement takes: one field after the other.
///
/// To append a field allocates nothing unless the buffer must grow.
public protocol RowText {
    /// What was appended and not removed.
    var bytes: [UInt8] { get }
    /// Removes all rows, and keeps the memory.
    mutating func removeAll()
    /// Ends the row.
    mutating func endRow()
    /// Appends NULL.
    mutating func appendNull()
    /// Appends a truth value.
    mutating func append(_ value: Bool)
    /// Appends a whole number.
    mutating func append(_ value: Int64)
    /// Appends a number with the fewest digits that give the same bits back.
    mutating func append(_ value: Double)
    /// Appends a number for a column of type `real`.
    mutating func append(_ value: Float)
    /// Appends a text.
    ///
    /// - Throws: `.nulCharacter` for one that has U+0000; then nothing was appended.
    mutating func append(_ value: String) throws(PostgreSQLError)
    /// Appends a text of UTF-8, as those of arrays and JSON are.
    ///
    /// - Throws: `.nulCharacter` as for a string.
    mutating func append(utf8 text: UnsafeRawBufferPointer) throws(PostgreSQLError)
    /// Appends bytes for a column of type `bytea`.
    mutating func append(bytea value: UnsafeRawBufferPointer)
}

extension RowText {
    /// How many bytes there are.
    public var byteCount: Int { bytes.count }
}

extension CopyText: RowText {}

/// Rows as `VALUES` has them: in parentheses, with a comma between each two. Every value but NULL
/// is a literal in quotes, whose type is that of its column.
public struct ValuesText: RowText, Sendable {
    /// What was appended and not removed.
    public private(set) var bytes: [UInt8] = []
    private var isAtRowStart = true
    /// The text of numbers, without quotes.
    private var number = CopyText()

    private static let quote: UInt8 = 0x27
    private static let backslash: UInt8 = 0x5c

    /// An empty buffer.
    public init() {}

    /// Removes all rows, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        isAtRowStart = true
    }

    /// Ends the row.
    public mutating func endRow() {
        bytes.append(UInt8(ascii: ")"))
        isAtRowStart = true
    }

    private mutating func beginField() {
        if isAtRowStart {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "("))
        } else {
            bytes.append(UInt8(ascii: ","))
        }
        isAtRowStart = false
    }

    /// Appends NULL.
    public mutating func appendNull() {
        beginField()
        bytes.append(contentsOf: "NULL".utf8)
    }

    /// Appends a truth value.
    public mutating func append(_ value: Bool) {
        beginField()
        bytes.append(contentsOf: value ? "'t'".utf8 : "'f'".utf8)
    }

    /// Appends a whole number.
    public mutating func append(_ value: Int64) { appendNumber { $0.append(value) } }

    /// Appends a number with the fewest digits that give the same bits back.
    public mutating func append(_ value: Double) { appendNumber { $0.append(value) } }

    /// Appends a number for a column of type `real`.
    public mutating func append(_ value: Float) { appendNumber { $0.append(value) } }

    private mutating func appendNumber(_ body: (inout CopyText) -> Void) {
        beginField()
        number.removeAll()
        body(&number)
        bytes.append(Self.quote)
        bytes.append(contentsOf: number.bytes)
        bytes.append(Self.quote)
    }

    /// Appends a text.
    ///
    /// - Throws: `.nulCharacter` for one that has U+0000; then nothing was appended.
    public mutating func append(_ value: String) throws(PostgreSQLError) {
        let isWritten = value.utf8.withContiguousStorageIfAvailable { appendQuoted($0) }
        guard isWritten ?? Array(value.utf8).withUnsafeBufferPointer({ appendQuoted($0) }) else {
            throw .nulCharacter
        }
    }

    /// Appends a text of UTF-8.
    ///
    /// - Throws: `.nulCharacter` as for a string.
    public mutating func append(utf8 text: UnsafeRawBufferPointer) throws(PostgreSQLError) {
        let isWritten = text.withMemoryRebound(to: UInt8.self) { appendQuoted($0) }
        if !isWritten { throw .nulCharacter }
    }

    /// Appends bytes for a column of type `bytea`.
    public mutating func append(bytea value: UnsafeRawBufferPointer) {
        beginField()
        number.removeAll()
        number.append(bytea: value)
        // COPY's form has the same two backslashes as a literal of this kind.
        bytes.append(contentsOf: "E'".utf8)
        bytes.append(contentsOf: number.bytes)
        bytes.append(Self.quote)
    }

    /// False, and nothing appended, for a text that has a NUL.
    private mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let (start, wasAtRowStart) = (bytes.count, isAtRowStart)
        beginField()
        // The form `E'…'` means the same whatever `standard_conforming_strings` is.
        if text.contains(Self.backslash) { bytes.append(UInt8(ascii: "E")) }
        bytes.append(Self.quote)
        var written = 0
        for offset in text.indices {
            switch text[offset] {
            case Self.quote, Self.backslash:
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written...offset]))
                bytes.append(text[offset])
                written = offset + 1
            case 0:
                bytes.removeSubrange(start...)
                isAtRowStart = wasAtRowStart
                return false
            default: continue
            }
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[written...]))
        bytes.append(Self.quote)
        return true
    }
}
