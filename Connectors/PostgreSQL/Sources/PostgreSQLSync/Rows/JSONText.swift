import Foundation
import Travertine

/// The text of a value as JSON, for columns of type `jsonb`.
///
/// Dates, ObjectIds, UUIDs are strings, bytes are strings in Base64, and so are numbers that JSON
/// does not have. A link is an object with `type` and `key`.
enum JSONText {
    static func append(_ value: StoredValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .int(let number): bytes.append(contentsOf: "\(number)".utf8)
        case .bool(let isTrue): bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
        case .float(let number): append(number: "\(number)", number.isFinite, to: &bytes)
        case .double(let number): append(number: "\(number)", number.isFinite, to: &bytes)
        case .string(let text): append(text, to: &bytes)
        case .data(let data): append(data.base64EncodedString(), to: &bytes)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            bytes.append(UInt8(ascii: "\""))
            if seconds.isNaN {
                bytes.append(contentsOf: "NaN".utf8)
            } else {
                _ = TimestampText.append(seconds, to: &bytes)
            }
            bytes.append(UInt8(ascii: "\""))
        case .objectId(let id): append("\(id)", to: &bytes)
        case .decimal128(let number):
            append(number: "\(number)", !number.isNaN && !number.isInfinite, to: &bytes)
        case .uuid(let id): append(id.uuidString.lowercased(), to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .document(let document):
            bytes.append(UInt8(ascii: "{"))
            for (place, field) in document.fields.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                append(field.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(field.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .link(let type, let key):
            bytes.append(contentsOf: "{\"type\":".utf8)
            append(type, to: &bytes)
            bytes.append(contentsOf: ",\"key\":".utf8)
            append(key, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func append(number: String, _ isFinite: Bool, to bytes: inout [UInt8]) {
        if isFinite {
            bytes.append(contentsOf: number.utf8)
        } else {
            append(number, to: &bytes)
        }
    }

    /// A string; a U+0000 stays as it is, for `ValueWriter` to find.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x01..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(0x30 + byte >> 4)
                let low = byte & 15
                bytes.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
