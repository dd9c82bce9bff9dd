import Foundation
import Travertine

/// Reads what was typed for a place, by what the place takes, and writes values in the same form.
///
/// A link is the address of its object, data are hexadecimal digits, an embedded object that is
/// made is `{}`, and one that is there has its address in braces. A value of any type has its kind
/// and a space before it: `int 5`, `object Dog =3`.
struct ValueParser {
    /// Gives objects their addresses.
    let references: ReferenceTable
    /// The object of a type at an address, to be linked to.
    let object: (_ type: String, _ address: String) throws(RequestFailure) -> DynamicObject

    /// Bytes of data that are written as digits.
    static let dataByteCount = DetailEncoder.dataByteCount

    /// Whether a value of the property can be typed where an object is added.
    static func isReadable(_ property: Property) -> Bool {
        switch property.type {
        case .object, .linkingObjects, .data, .any: false
        default: PropertyText.collection(property) == nil
        }
    }

    // MARK: Reading

    /// The value that a text stands for; nil stands for null.
    ///
    /// - Throws: `RequestFailure` with what the place takes.
    func value(_ text: String?, for kind: ValueKind) throws(RequestFailure) -> Any? {
        guard !kind.isCollection else {
            throw RequestFailure(422, "“\(kind.name)” is changed by its elements.")
        }
        guard let text else {
            guard kind.isOptional || kind.type == .any else {
                throw RequestFailure(422, "“\(kind.name)” can't be nil.")
            }
            if kind.type == .any { return AnyRealmValue.none }
            return nil
        }
        if kind.type == .object, let target = kind.target {
            return kind.isEmbedded ? [String: Any]() : try object(target, text)
        }
        guard let value = try kind.type == .any ? mixed(text) : Self.parsed(text, kind.type) else {
            throw RequestFailure(
                422, "“\(kind.name)” takes \(Self.example(kind.type)), not “\(text)”.")
        }
        return value
    }

    /// A value of any type, with its kind before it; nil for another text.
    private func mixed(_ text: String) throws(RequestFailure) -> AnyRealmValue? {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = words.count > 1 ? String(words[1]) : ""
        switch words[0] {
        case "string": return .string(rest)
        case "int": return Int(rest).map { .int($0) }
        case "bool": return (Self.parsed(rest, .bool) as? Bool).map { .bool($0) }
        case "float": return Float(rest).map { .float($0) }
        case "double", "number": return Double(rest).map { .double($0) }
        case "decimal128": return (try? Decimal128(string: rest)).map { .decimal128($0) }
        case "date": return (Self.parsed(rest, .date) as? Date).map { .date($0) }
        case "objectId": return (try? ObjectId(string: rest)).map { .objectId($0) }
        case "uuid": return UUID(uuidString: rest).map { .uuid($0) }
        case "data": return (Self.parsed(rest, .data) as? Data).map { .data($0) }
        case "list": return .list(List())
        case "map": return .dictionary(Map())
        case "object":
            guard let gap = rest.firstRange(of: " =") ?? rest.firstRange(of: " @") else {
                return nil
            }
            let address = String(rest[rest.index(after: gap.lowerBound)...])
            return .object(try object(String(rest[..<gap.lowerBound]), address))
        default: return nil
        }
    }

    private static func parsed(_ text: String, _ type: PropertyType) -> Any? {
        switch type {
        case .string: text
        case .int: Int(text)
        case .bool: ["true": true, "false": false][text]
        case .double: Double(text)
        case .float: Float(text)
        case .decimal128: try? Decimal128(string: text)
        case .objectId: try? ObjectId(string: text)
        case .UUID: UUID(uuidString: text)
        case .date: date(text)
        case .data: data(text)
        case .object, .linkingObjects, .any: nil
        }
    }

    /// A point in time as the page shows it, or as ISO 8601 has it.
    private static func date(_ text: String) -> Date? {
        let text = text.replacing(" ", with: "T", maxReplacements: 1)
        let whole = Date.ISO8601FormatStyle()
        return (try? whole.parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }

    /// Bytes of pairs of hexadecimal digits, with white space between them or not.
    private static func data(_ text: String) -> Data? {
        let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        guard digits.count == text.count(where: { !$0.isWhitespace }), digits.count % 2 == 0 else {
            return nil
        }
        return Data(
            stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        )
    }

    private static func example(_ type: PropertyType) -> String {
        switch type {
        case .int: "a whole number"
        case .bool: "true or false"
        case .double, .float, .decimal128: "a number such as 1.5"
        case .objectId: "24 hexadecimal digits"
        case .UUID: "a UUID"
        case .date: "a time such as 2026-11-28 09:30:00Z"
        case .data: "bytes as pairs of hexadecimal digits"
        case .any: "a value of its kind"
        default: "another value"
        }
    }

    // MARK: Writing

    /// The word for the type of a value of any type, as it is read; nil for null and links.
    static func kind(_ value: AnyRealmValue) -> String? {
        switch value {
        case .none, .object: nil
        case .int: "int"
        case .bool: "bool"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .objectId: "objectId"
        case .decimal128: "decimal128"
        case .uuid: "uuid"
        case .list: "list"
        case .dictionary: "map"
        }
    }

    /// The text of a value, as the page has it too; nil for null.
    func text(_ value: StoredValue, isMixed: Bool) -> String? {
        guard let text = plainText(value) else { return nil }
        guard isMixed else { return text }
        switch value {
        case .object(let object): return "object \(object.objectSchema.objectTypeName) \(text)"
        default: return "\(value.kind) \(text)"
        }
    }

    private func plainText(_ value: StoredValue) -> String? {
        switch value {
        case .null: nil
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .decimal(let text), .string(let text), .identifier(let text), .unknown(let text): text
        case .date(let date): ValueText.of(date)
        case .data(let data):
            data.count <= Self.dataByteCount
                ? ValueText.hex(data) : ValueText.byteCount(data.count)
        case .object(let object):
            object.objectSchema.isEmbedded
                ? "{\(references.address(of: object))}" : references.address(of: object)
        case .elements(let elements): "[\(elements.count)]"
        case .entries(let entries): "{\(entries.count)}"
        }
    }
}
