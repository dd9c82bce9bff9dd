import Foundation
import Travertine
import TravertineDocuments

/// The values of an object as its type takes them, of a document that somebody wrote.
///
/// Where a property is a date, a text in ISO 8601 stands for it; where it is data, one in Base64;
/// where it is a number, a decimal that is one exactly. A link may be the primary key of its
/// target, which is made with it if it is not there.
struct ObjectValues {
    let type: ObjectSchema
    /// All types, for objects within the object; nil leaves those as they are.
    var schema: Schema?
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
        if hasTextsOnly {
            guard !property.isArray, !property.isSet, !property.isMap, let text = value as? String
            else { return value }
            return read(text, property, isNothing)
        }
        if property.isArray || property.isSet, let elements = value as? [Any] {
            return elements.map { single($0, property) }
        }
        if property.isMap, let elements = value as? [String: Any] {
            return elements.mapValues { single($0, property) }
        }
        return single(value, property)
    }

    /// A value of a property, or of an element of its collection.
    private func single(_ value: Any, _ property: Property) -> Any {
        switch (property.type, value) {
        case (.date, let text as String): DateText.date(text) ?? value
        case (.data, let text as String): Data(base64Encoded: text) ?? value
        case (.objectId, let data as Data) where data.count == 12: Self.objectId(data) ?? value
        case (.int, let number as Decimal128): Int64(exactly: number) ?? value
        case (.double, let number as Decimal128): Self.inRange(number.doubleValue, number) ?? value
        case (.float, let number as Decimal128):
            Float(number.description).flatMap { Self.inRange($0, number) } ?? value
        case (.double, let text as String): Self.unusual(text) ?? value
        case (.float, let text as String): Self.unusual(text).map { Float($0) } ?? value
        case (.object, _): object(value, property)
        default: value
        }
    }

    /// An object within the object, or one that is linked.
    private func object(_ value: Any, _ property: Property) -> Any {
        guard let name = property.objectClassName,
            let target = schema?.objectSchema.first(where: { $0.className == name })
        else { return value }
        if let values = value as? [String: Any] {
            let inner = ObjectValues(type: target, schema: schema, hasTextsOnly: false)
            return Dictionary(
                uniqueKeysWithValues: values.map { name, value in
                    (name, target[name].map { inner.converted(value, $0, false) } ?? value)
                })
        }
        guard let key = target.primaryKeyProperty, !target.isEmbedded, !Self.isNone(value) else {
            return value
        }
        return [key.columnName: single(value, key)]
    }

    private func read(_ text: String, _ property: Property, _ isNothing: Bool) -> Any {
        switch property.type {
        case .date: DateText.date(text) ?? emptyAsNull(text, property)
        case .data where !text.isEmpty: Data(base64Encoded: text) ?? text
        case .int: Int64(text) ?? emptyAsNull(text, property)
        case .double: Double(text) ?? emptyAsNull(text, property)
        case .float: Float(text) ?? emptyAsNull(text, property)
        case .bool: Bool(text) ?? emptyAsNull(text, property)
        case .string: isNothing && property.isOptional ? Any?.none as Any : text
        default: emptyAsNull(text, property)
        }
    }

    private func emptyAsNull(_ text: String, _ property: Property) -> Any {
        text.isEmpty && property.isOptional ? Any?.none as Any : text
    }

    /// Whether it is what `plain` makes of null.
    static func isNone(_ value: Any) -> Bool { Swift.type(of: value) == Any?.self }

    private static func objectId(_ data: Data) -> ObjectId? {
        try? ObjectId(string: data.map { byte in String(format: "%02x", byte) }.joined())
    }

    /// The nearest number; nil if a decimal is beyond all of them, or so small that it would be
    /// zero.
    private static func inRange<Number: BinaryFloatingPoint>(
        _ number: Number, _ decimal: Decimal128
    ) -> Number? {
        if number.isInfinite, decimal.isFinite { return nil }
        return number.isZero && decimal != 0 ? nil : number
    }

    /// A number that JSON has none for, by its name.
    private static func unusual(_ text: String) -> Double? {
        switch text {
        case "NaN", "nan": .nan
        case "Infinity", "inf": .infinity
        case "-Infinity", "-inf": -.infinity
        default: nil
        }
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
