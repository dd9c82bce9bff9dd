import Foundation
import PostgreSQLClient
import Travertine

/// Writes values of properties as fields of rows.
struct ValueWriter {
    /// What becomes of the character U+0000, which PostgreSQL has none for.
    enum NULPolicy { case refuse, replaceNUL }

    var policy: NULPolicy
    /// How many texts lost a U+0000, and how many points in time are beyond PostgreSQL's range.
    private(set) var replacedCount = 0
    private(set) var unboundedDateCount = 0
    private var scratch: [UInt8] = []

    init(policy: NULPolicy) { self.policy = policy }

    /// Writes a value to a column of a type.
    ///
    /// - Throws: `PostgreSQLError.nulCharacter` where U+0000 is refused; `MismatchedValue` for a
    ///   value that is none of the type.
    mutating func write<Text: RowText>(
        _ value: StoredValue, _ type: SQLType, to text: inout Text
    ) throws {
        if type.isArray, case .array(let elements) = value {
            scratch.removeAll(keepingCapacity: true)
            try appendArray(elements, type.base)
            return try writeScratch(to: &text)
        }
        if type.base == .jsonb {
            if value == .null { return text.appendNull() }
            scratch.removeAll(keepingCapacity: true)
            JSONText.append(value, to: &scratch)
            return try writeScratch(to: &text)
        }
        switch (type.base, value) {
        case (_, .null): text.appendNull()
        case (.bigint, .int(let number)): text.append(number)
        case (.boolean, .bool(let isTrue)): text.append(isTrue)
        case (.real, .float(let number)): text.append(number)
        case (.double, .double(let number)): text.append(number)
        case (.text, .string(let string)): try write(string, to: &text)
        case (.bytea, .data(let data)): data.withUnsafeBytes { text.append(bytea: $0) }
        case (.bytea, .objectId(let id)):
            Self.bytes(of: id).withUnsafeBytes { text.append(bytea: $0) }
        case (.timestamptz, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate
            if seconds.isNaN {
                unboundedDateCount += 1
                return text.appendNull()
            }
            scratch.removeAll(keepingCapacity: true)
            if !TimestampText.append(seconds, to: &scratch) { unboundedDateCount += 1 }
            try writeScratch(to: &text)
        case (.text, .objectId(let id)): try text.append("\(id)")
        case (.uuid, .uuid(let id)): try text.append(id.uuidString)
        case (.numeric, .decimal128(let number)): try text.append(Self.text(number))
        case (_, .link(_, let key)): try write(key, type, to: &text)
        default: throw MismatchedValue(type: type, value: value)
        }
    }

    /// What the column of a text gets, for where it is written again; not counted.
    func storable(_ value: StoredValue) -> StoredValue {
        guard policy == .replaceNUL, case .string(let text) = value else { return value }
        return .string(text.replacing("\0", with: "\u{FFFD}"))
    }

    /// The 12 bytes that the text of an ObjectId has in hexadecimal digits.
    private static func bytes(of id: ObjectId) -> [UInt8] {
        let digits = Array("\(id)".utf8).map { $0 <= 0x39 ? $0 - 0x30 : ($0 | 0x20) - 0x61 + 10 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func text(_ number: Decimal128) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        return "\(number)"
    }

    private mutating func write<Text: RowText>(_ string: String, to text: inout Text) throws {
        do {
            try text.append(string)
        } catch PostgreSQLError.nulCharacter where policy == .replaceNUL {
            replacedCount += 1
            try text.append(string.replacing("\0", with: "\u{FFFD}"))
        }
    }

    private mutating func writeScratch<Text: RowText>(to text: inout Text) throws {
        if scratch.contains(0) {
            guard policy == .replaceNUL else { throw PostgreSQLError.nulCharacter }
            replacedCount += 1
            scratch = Array(
                String(decoding: scratch, as: UTF8.self).replacing("\0", with: "\u{FFFD}").utf8)
        }
        try Result { () throws(PostgreSQLError) in
            var error: PostgreSQLError?
            scratch.withUnsafeBytes { bytes in
                do throws(PostgreSQLError) {
                    try text.append(utf8: bytes)
                } catch let failure {
                    error = failure
                }
            }
            if let error { throw error }
        }.get()
    }

    /// The literal of an array ("Arrays" in PostgreSQL's documentation): each element in quotes.
    private mutating func appendArray(_ elements: [StoredValue], _ base: SQLType.Base) throws {
        scratch.append(UInt8(ascii: "{"))
        var element = ElementText()
        for (place, value) in elements.enumerated() {
            if place > 0 { scratch.append(UInt8(ascii: ",")) }
            if value == .null {
                scratch.append(contentsOf: "NULL".utf8)
                continue
            }
            var inner = ValueWriter(policy: policy)
            element.removeAll()
            try inner.write(value, SQLType(base: base), to: &element)
            replacedCount += inner.replacedCount
            unboundedDateCount += inner.unboundedDateCount
            if element.isNull {
                scratch.append(contentsOf: "NULL".utf8)
            } else {
                element.appendQuoted(to: &scratch)
            }
        }
        scratch.append(UInt8(ascii: "}"))
    }
}

/// A value that its column is not for: the stored schema and a row don't agree.
struct MismatchedValue: Error, CustomStringConvertible {
    var type: SQLType
    var value: StoredValue

    var description: String { "a value that is no \(type.name)" }
}

/// The text of one element, as it is without quotes.
private struct ElementText: RowText {
    var bytes: [UInt8] = []
    var isNull = false
    private var plain = CopyText()

    mutating func removeAll() { (bytes, isNull) = ([], false) }
    mutating func endRow() {}
    mutating func appendNull() { isNull = true }
    mutating func append(_ value: Bool) { bytes = [value ? 0x74 : 0x66] }
    mutating func append(_ value: Int64) { bytes = Array("\(value)".utf8) }

    mutating func append(_ value: Double) {
        plain.removeAll()
        plain.append(value)
        bytes = plain.bytes
    }

    mutating func append(_ value: Float) {
        plain.removeAll()
        plain.append(value)
        bytes = plain.bytes
    }

    mutating func append(_ value: String) throws(PostgreSQLError) {
        bytes = Array(value.utf8)
        if bytes.contains(0) { throw .nulCharacter }
    }

    mutating func append(utf8 text: UnsafeRawBufferPointer) throws(PostgreSQLError) {
        bytes = Array(text)
        if bytes.contains(0) { throw .nulCharacter }
    }

    mutating func append(bytea value: UnsafeRawBufferPointer) {
        bytes = Array("\\x".utf8)
        for byte in value {
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            }
        }
    }

    func appendQuoted(to other: inout [UInt8]) {
        other.append(UInt8(ascii: "\""))
        for byte in bytes {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                other.append(UInt8(ascii: "\\"))
            }
            other.append(byte)
        }
        other.append(UInt8(ascii: "\""))
    }
}
