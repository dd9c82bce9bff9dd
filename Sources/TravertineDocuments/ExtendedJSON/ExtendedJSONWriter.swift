import Travertine
import TravertineJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes values as Extended JSON, without space, after what the bytes hold already.
struct ExtendedJSONWriter {
    private(set) var bytes: [UInt8]
    private let mode: ExtendedJSONMode

    init(appendingTo bytes: [UInt8] = [], mode: ExtendedJSONMode) {
        self.bytes = bytes
        self.mode = mode
    }

    static func text(of value: AnyBSON, mode: ExtendedJSONMode) -> String {
        var writer = ExtendedJSONWriter(mode: mode)
        writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    mutating func write(_ document: Document) {
        bytes.append(UInt8(ascii: "{"))
        for (index, element) in document.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.append(name: element.key, to: &bytes)
            write(element.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func write(_ value: AnyBSON) {
        switch value {
        case .null: append("null")
        case .bool(let flag): append(flag ? "true" : "false")
        case .string(let text): JSONText.append(text, to: &bytes)
        case .document(let document): write(document)
        case .array(let array):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in array.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .int32(let number): writeNumber(String(number), "$numberInt")
        case .int64(let number): writeNumber(String(number), "$numberLong")
        case .double(let number): write(number)
        case .decimal128(let number): wrap("$numberDecimal", number.description)
        case .objectId(let id): wrap("$oid", id.stringValue)
        case .datetime(let time): write(time)
        default: writeRare(value)
        }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes `{"name":"text"}`.
    private mutating func wrap(_ name: String, _ text: String) {
        append("{\"\(name)\":")
        JSONText.append(text, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes `{"name":{…}}`, or any other value inside.
    private mutating func wrap(_ name: String, _ value: AnyBSON) {
        append("{\"\(name)\":")
        write(value)
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func writeNumber(_ digits: String, _ name: String) {
        mode == .relaxed ? append(digits) : append("{\"\(name)\":\"\(digits)\"}")
    }

    private mutating func write(_ number: Double) {
        if number.isNaN {
            wrap("$numberDouble", "NaN")
        } else if number.isInfinite {
            wrap("$numberDouble", number < 0 ? "-Infinity" : "Infinity")
        } else {
            writeNumber(number.description, "$numberDouble")
        }
    }

    private mutating func write(_ time: BSONDateTime) {
        if mode == .relaxed, let text = CalendarText.text(time) {
            wrap("$date", text)
        } else {
            append("{\"$date\":{\"$numberLong\":\"\(time.milliseconds)\"}}")
        }
    }

    private mutating func writeRare(_ value: AnyBSON) {
        switch value {
        case .binary(let binary): write(binary)
        case .uuid(let uuid):
            write(BSONBinary(withUnsafeBytes(of: uuid.uuid) { Data($0) }, subtype: 4))
        case .timestamp(let timestamp):
            append("{\"$timestamp\":{\"t\":\(timestamp.seconds),\"i\":\(timestamp.increment)}}")
        case .regex(let expression):
            wrap(
                "$regularExpression",
                ["pattern": .string(expression.pattern), "options": .string(expression.options)])
        case .javascript(let code): wrap("$code", code)
        case .javascriptWithScope(let program):
            write(
                .document(["$code": .string(program.code), "$scope": .document(program.scope)]))
        case .symbol(let text): wrap("$symbol", text)
        case .pointer(let pointer):
            wrap(
                "$dbPointer",
                ["$ref": .string(pointer.collection), "$id": .objectId(pointer.id)])
        case .undefined: append("{\"$undefined\":true}")
        case .minKey: append("{\"$minKey\":1}")
        default: append("{\"$maxKey\":1}")
        }
    }

    private mutating func write(_ binary: BSONBinary) {
        append("{\"$binary\":{\"base64\":\"\(binary.data.base64EncodedString())\",\"subType\":\"")
        bytes.append(JSONText.hexadecimal(binary.subtype >> 4))
        bytes.append(JSONText.hexadecimal(binary.subtype & 15))
        append("\"}}")
    }
}
