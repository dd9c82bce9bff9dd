import Foundation
import Travertine

/// Texts of values in cells and labels.
enum ValueText {
    /// Characters of a text in a cell.
    static let cellLength = 160
    /// Elements of a collection in a cell.
    static let cellElementCount = 4

    /// A point in time in UTC: `2026-11-28 03:15:00.250Z`; milliseconds that are zero are left out.
    static func of(_ date: Date) -> String {
        // Years that no calendar of Foundation has are printed as seconds.
        guard abs(date.timeIntervalSince1970) < 1e11 else {
            return "\(date.timeIntervalSince1970) s"
        }
        let text = date.formatted(
            .iso8601.year().month().day().dateTimeSeparator(.space)
                .time(includingFractionalSeconds: true))
        return (text.hasSuffix(".000") ? String(text.dropLast(4)) : text) + "Z"
    }

    /// The first characters of a text, with four bytes for each on average at most.
    static func cut(_ text: String, to length: Int = cellLength) -> String {
        guard text.utf8.count > length else { return text }
        let start = beginning(of: text, byteCount: 4 * length).prefix(length)
        return start.endIndex == text.endIndex ? text : start + "…"
    }

    /// As much of a text as fits some bytes, in whole Unicode scalars: a character may have any
    /// number of them.
    static func beginning(of text: String, byteCount: Int) -> Substring {
        let bytes = text.utf8
        guard bytes.count > byteCount else { return text[...] }
        var end = bytes.index(bytes.startIndex, offsetBy: byteCount)
        while bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
        return text[..<end]
    }

    /// Bytes in hexadecimal digits.
    static func hex(_ data: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in data { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// A value in a few words.
    static func short(_ value: Any?) -> String {
        switch StoredValue(value) {
        case .null: "nil"
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .decimal(let text), .identifier(let text): text
        case .string(let text), .unknown(let text): cut(text, to: 40)
        case .date(let date): of(date)
        case .data(let data): byteCount(data.count)
        case .object(let object): ObjectLabel.text(object)
        case .elements(let elements): "[\(elements.count)]"
        case .entries(let entries): "{\(entries.count)}"
        }
    }

    static func byteCount(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}

/// What an object is called where a link to it is shown.
enum ObjectLabel {
    /// Names of properties that are likely to name an object, the best one first.
    private static let names = ["name", "title", "label", "displayName", "username", "email"]

    /// The name of an object if it has one, else its primary key, else its first value.
    static func text(_ object: DynamicObject) -> String {
        let schema = object.objectSchema
        if let point = point(object) { return point.text }
        let naming = names.lazy.compactMap { name in
            schema.properties.first { $0.columnName == name && isSingle($0) && $0.type == .string }
        }.first
        if let naming, case .string(let text) = StoredValue(object[naming.name]), !text.isEmpty {
            return ValueText.cut(text, to: 60)
        }
        if let key = schema.primaryKeyProperty { return ValueText.short(object[key.name]) }
        // A value of any type may be a link, also to this object.
        let first = schema.properties.first {
            isSingle($0) && $0.type != .object && $0.type != .any
        }
        guard let first else { return schema.objectTypeName }
        return ValueText.short(object[first.name])
    }

    private static func isSingle(_ property: Property) -> Bool {
        !property.isArray && !property.isSet && !property.isMap
    }

    /// The place of an object that has GeoJSON's shape of a point.
    static func point(_ object: DynamicObject) -> (
        longitude: Double, latitude: Double, text: String
    )? {
        let schema = object.objectSchema
        guard let type = schema["type"], type.type == .string, isSingle(type),
            let coordinates = schema["coordinates"], coordinates.type == .double,
            coordinates.isArray,
            (object[type.name] as? String) == "Point",
            case .elements(let elements) = StoredValue(object[coordinates.name])
        else { return nil }
        let numbers = elements.values(from: 0, count: 2).compactMap { $0 as? Double }
        guard numbers.count == 2, (-180...180).contains(numbers[0]),
            (-90...90).contains(numbers[1])
        else { return nil }
        return (numbers[0], numbers[1], degrees(numbers[1]) + ", " + degrees(numbers[0]))
    }

    /// A coordinate with as many decimals as it needs, five at most.
    private static func degrees(_ value: Double) -> String {
        var text = String(format: "%.5f", value)[...]
        while text.last == "0" { text.removeLast() }
        return String(text.last == "." ? text.dropLast() : text)
    }
}
