import Foundation
import Travertine
import TravertineDocuments

/// The values of an object as its type takes them, of a document that somebody wrote.
///
/// Where a property is a date, a text in ISO 8601 stands for it; where it is data, one in Base64.
struct ObjectValues {
    let type: ObjectSchema
    /// Whether every value is a text, to be read as the property's type, or null where nothing is
    /// written. Nothing, and an empty text for what is no text, is nil where that may be.
    let hasTextsOnly: Bool

    /// The values by the stored names of their properties.
    func values(of document: Document) -> [String: Any] {
        var values: [String: Any] = [:]
        for element in document {
            // Nothing is an empty text where the property can't be nil.
            let isNothing = hasTextsOnly && element.value == .null
            let value = isNothing ? "" : Self.plain(element.value)
            values[element.key] = type[element.key].map { converted(value, $0, isNothing) } ?? value
        }
        return values
    }

    private func converted(_ value: Any, _ property: Property, _ isNothing: Bool) -> Any {
        guard let text = value as? String, !property.isArray, !property.isSet, !property.isMap
        else {
            return value
        }
        switch property.type {
        case .date: return Self.date(text) ?? emptyAsNull(text, property)
        case .data where !hasTextsOnly || !text.isEmpty:
            return Data(base64Encoded: text) ?? value
        default: break
        }
        if !hasTextsOnly { return value }
        return switch property.type {
        case .int: Int64(text) ?? emptyAsNull(text, property)
        case .double: Double(text) ?? emptyAsNull(text, property)
        case .float: Float(text) ?? emptyAsNull(text, property)
        case .bool: Bool(text) ?? emptyAsNull(text, property)
        case .string: isNothing && property.isOptional ? Any?.none as Any : value
        default: emptyAsNull(text, property)
        }
    }

    private func emptyAsNull(_ text: String, _ property: Property) -> Any {
        text.isEmpty && property.isOptional ? Any?.none as Any : text
    }

    private static func date(_ text: String) -> Date? {
        let plain = ISO8601DateFormatter()
        let fractional = ISO8601DateFormatter()
        fractional.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return plain.date(from: text) ?? fractional.date(from: text)
    }

    /// A value of a document as a plain Swift value.
    private static func plain(_ value: AnyBSON) -> Any {
        switch value {
        case .null, .undefined: Any?.none as Any
        case .int32(let number): Int(number)
        case .int64(let number): Int(number)
        case .double(let number): number
        case .decimal128(let number): number
        case .bool(let value): value
        case .string(let text), .symbol(let text): text
        case .binary(let binary): binary.data
        case .uuid(let uuid): uuid
        case .objectId(let id): id
        case .datetime(let time): time.date
        case .array(let values): values.map { plain($0) }
        case .document(let document):
            Dictionary(
                document.map { ($0.key, plain($0.value)) }, uniquingKeysWith: { $1 })
        case .timestamp, .regex, .javascript, .javascriptWithScope, .pointer, .minKey, .maxKey:
            value
        }
    }
}
