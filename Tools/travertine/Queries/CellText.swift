import Foundation
import Travertine
import TravertineDocuments

/// A value of an object as text: a link is the key of its target, a collection or an embedded
/// object Extended JSON.
enum CellText {
    /// The value on a terminal; nil is a word.
    static func shown(_ value: AnyBSON) -> String {
        value == .null ? "nil" : plain(value)
    }

    /// The value between tabs; nil is nothing.
    static func plain(_ value: AnyBSON) -> String {
        ByteText.shown(Array(text(value).utf8), isHex: false)
    }

    /// The value as CSV has it: nil is nothing, an empty text is a pair of quotes.
    static func csv(_ value: AnyBSON) -> String? { value == .null ? nil : text(value) }

    /// Whether the value is a number, which is aligned to the right.
    static func isNumber(_ value: AnyBSON) -> Bool {
        switch value {
        case .int32, .int64, .double, .decimal128: true
        default: false
        }
    }

    private static func text(_ value: AnyBSON) -> String {
        switch value {
        case .null: ""
        case .int32(let number): String(number)
        case .int64(let number): String(number)
        case .double(let number): number.description
        case .decimal128(let number): number.description
        case .bool(let flag): flag ? "true" : "false"
        case .string(let text): text
        case .binary(let bytes): bytes.data.base64EncodedString()
        case .uuid(let identifier): identifier.uuidString.lowercased()
        case .objectId(let identifier): identifier.stringValue
        case .datetime(let time): self.text(time.date)
        default: value.description
        }
    }

    /// A date as ISO 8601, with milliseconds if it has some.
    private static func text(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let hasFraction = milliseconds.truncatingRemainder(dividingBy: 1000) != 0
        // A quarter of a millisecond, since the style cuts where the number lies just below one.
        return Date(timeIntervalSince1970: (milliseconds + 0.25) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }
}
