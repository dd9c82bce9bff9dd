import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The objects of Extended JSON that represent values of other types.
enum ExtendedJSONWrapper {
    struct Problem: Error {
        let reason: String
    }

    /// The names that make an object represent a value.
    private static let names: Set<NameBytes> = [
        "$oid", "$symbol", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
        "$binary", "$uuid", "$code", "$scope", "$timestamp", "$regularExpression", "$dbPointer",
        "$date", "$minKey", "$maxKey", "$undefined",
    ]

    /// Whether a name makes its object represent a value.
    static func isName(_ name: String) -> Bool { names.contains(NameBytes(name)) }

    /// Why an object with such a name, which represents itself, is not written.
    static func ambiguity(_ name: String) -> String {
        "Extended JSON reads an object with the name \"\(name)\" as a value of another type; BSON "
            + "has both"
    }

    /// Why a value has no text, with the way to what it is: a name that would make its object stand
    /// for another value, or too many levels.
    static func obstacle(in value: AnyBSON, depth: Int = 0) -> (path: [String], reason: String)? {
        switch value {
        case .document(let document):
            guard depth < DocumentLimits.depthMax else { return ([], DocumentLimits.tooDeep) }
            for element in document {
                if isName(element.key) { return ([element.key], ambiguity(element.key)) }
                if let inner = obstacle(in: element.value, depth: depth + 1) {
                    return ([element.key] + inner.path, inner.reason)
                }
            }
        case .array(let elements):
            guard depth < DocumentLimits.depthMax else { return ([], DocumentLimits.tooDeep) }
            for (index, element) in elements.enumerated() {
                if let inner = obstacle(in: element, depth: depth + 1) {
                    return ([String(index)] + inner.path, inner.reason)
                }
            }
        case .javascriptWithScope(let program):
            return obstacle(in: .document(program.scope), depth: depth + 1).map {
                (["$scope"] + $0.path, $0.reason)
            }
        default: break
        }
        return nil
    }

    /// The value that an object represents, of which one name makes it do so.
    static func value(_ object: Document) -> Result<AnyBSON, Problem> {
        if object.contains(where: { $0.key == "$scope" }) { return code(object) }
        guard object.count == 1, let element = object.first else {
            let name = object.first { isName($0.key) }?.key ?? ""
            return .failure(
                Problem(
                    reason: "\"\(name)\" makes an object represent a value, and has other names "
                        + "beside it"))
        }
        guard let value = single(element.key, element.value) else {
            return .failure(Problem(reason: "this is no value for \"\(element.key)\""))
        }
        return .success(value)
    }

    private static func code(_ object: Document) -> Result<AnyBSON, Problem> {
        guard object.count == 2, case .string(let code)? = object["$code"],
            case .document(let scope)? = object["$scope"]
        else {
            return .failure(
                Problem(
                    reason: "\"$scope\" is a document and must be beside \"$code\", a text, alone"))
        }
        return .success(.javascriptWithScope(BSONCode(code, scope: scope)))
    }

    private static func single(_ name: String, _ value: AnyBSON) -> AnyBSON? {
        switch value {
        case .string(let text): named(name, text)
        case .document(let inner): named(name, inner)
        case .int32, .int64:
            switch (name, value.int64Value) {
            case ("$date", let time?): .datetime(BSONDateTime(milliseconds: time))
            case ("$minKey", 1): .minKey
            case ("$maxKey", 1): .maxKey
            default: nil
            }
        case .bool(true) where name == "$undefined": .undefined
        default: nil
        }
    }

    private static func named(_ name: String, _ text: String) -> AnyBSON? {
        switch name {
        case "$oid": (try? ObjectId(string: text)).map { .objectId($0) }
        case "$symbol": .symbol(text)
        case "$numberInt": isInteger(text) ? Int32(text).map { .int32($0) } : nil
        case "$numberLong": isInteger(text) ? Int64(text).map { .int64($0) } : nil
        case "$numberDouble": double(text).map { .double($0) }
        case "$numberDecimal": Decimal128(text).map { .decimal128($0) }
        case "$uuid": UUID(uuidString: text).map { .uuid($0) }
        case "$code": .javascript(text)
        case "$date": CalendarText.time(text).map { .datetime($0) }
        default: nil
        }
    }

    private static func named(_ name: String, _ inner: Document) -> AnyBSON? {
        guard inner.count == 2 else { return nil }
        switch name {
        case "$binary": return binary(inner)
        case "$timestamp":
            guard let seconds = inner["t"]?.int64Value.flatMap({ UInt32(exactly: $0) }),
                let increment = inner["i"]?.int64Value.flatMap({ UInt32(exactly: $0) })
            else { return nil }
            return .timestamp(BSONTimestamp(seconds: seconds, increment: increment))
        case "$regularExpression":
            guard let pattern = inner["pattern"]?.stringValue,
                let options = inner["options"]?.stringValue
            else { return nil }
            return .regex(BSONRegularExpression(pattern: pattern, options: options))
        case "$dbPointer":
            guard let collection = inner["$ref"]?.stringValue, let id = inner["$id"]?.objectIdValue
            else { return nil }
            return .pointer(BSONPointer(collection: collection, id: id))
        default: return nil
        }
    }

    private static func binary(_ inner: Document) -> AnyBSON? {
        guard let text = inner["base64"]?.stringValue, let data = Data(base64Encoded: text),
            let digits = inner["subType"]?.stringValue, (1...2).contains(digits.utf8.count),
            digits.allSatisfy(\.isHexDigit), let subtype = UInt8(digits, radix: 16)
        else { return nil }
        if subtype == 4 && data.count == 16,
            let uuid = data.withUnsafeBytes({ UUID._from(.bytes($0)) })
        {
            return .uuid(uuid)
        }
        return .binary(BSONBinary(data, subtype: subtype))
    }

    private static func isInteger(_ text: String) -> Bool {
        !text.hasPrefix("+") && !text.isEmpty
    }

    private static func double(_ text: String) -> Double? {
        switch text {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        case "NaN": .nan
        default:
            // Swift would also read hexadecimal numbers and names of infinity.
            text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
                ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
        }
    }
}
