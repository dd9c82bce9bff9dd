import Foundation
import Travertine

/// Reads what was typed for a property, by its type.
enum ValueParser {
    /// Whether the page can change a property: single values that are no links.
    static func isEditable(_ property: Property) -> Bool {
        guard PropertyText.collection(property) == nil, !property.isPrimaryKey else { return false }
        return isReadable(property)
    }

    /// Whether a value of the property can be typed.
    static func isReadable(_ property: Property) -> Bool {
        switch property.type {
        case .object, .linkingObjects, .data, .any: false
        default: PropertyText.collection(property) == nil
        }
    }

    /// The value that a text stands for; nil stands for null.
    ///
    /// - Throws: `RequestFailure` with what the property takes.
    static func value(_ text: String?, for property: Property) throws(RequestFailure) -> Any? {
        guard isReadable(property) else {
            throw RequestFailure(422, "“\(property.columnName)” can't be changed here.")
        }
        guard let text else {
            guard property.isOptional else {
                throw RequestFailure(422, "“\(property.columnName)” can't be nil.")
            }
            return nil
        }
        guard let value = parsed(text, property.type) else {
            throw RequestFailure(
                422, "“\(property.columnName)” takes \(example(property.type)), not “\(text)”.")
        }
        return value
    }

    /// The text of a value that can be typed, as the page shows it; nil for null.
    static func text(_ value: StoredValue) -> String? {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .decimal(let text), .string(let text), .identifier(let text): text
        case .date(let date): ValueText.of(date)
        default: nil
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
        case .object, .linkingObjects, .data, .any: nil
        }
    }

    /// A point in time as the page shows it, or as ISO 8601 has it.
    private static func date(_ text: String) -> Date? {
        let text = text.replacing(" ", with: "T", maxReplacements: 1)
        let whole = Date.ISO8601FormatStyle()
        return (try? whole.parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }

    private static func example(_ type: PropertyType) -> String {
        switch type {
        case .int: "a whole number"
        case .bool: "true or false"
        case .double, .float, .decimal128: "a number such as 1.5"
        case .objectId: "24 hexadecimal digits"
        case .UUID: "a UUID"
        case .date: "a time such as 2026-11-28 09:30:00Z"
        default: "another value"
        }
    }
}
