/// The JSON Schema of an object type whose properties are the columns of a query: the objects of
/// `RowJSON` are its documents. All properties may be nil but the key.
public struct RowSchema {
    /// The schema, as MongoDB App Services has it.
    public let text: String

    /// - Throws: `RowJSON.Failure` for columns without usable names, and where none is the key.
    public init(_ columns: [QueryColumn], title: String, key: String) throws(RowJSON.Failure) {
        _ = try RowJSON(columns, form: .objects)
        guard columns.contains(where: { $0.name == key }) else {
            throw RowJSON.Failure(description: "the query has no column “\(key)” for the key")
        }
        var bytes: [UInt8] = Array(#"{"title":"#.utf8)
        JSONBytes.append(string: title.utf8, to: &bytes)
        bytes += #","bsonType":"object","required":["#.utf8
        JSONBytes.append(string: key.utf8, to: &bytes)
        bytes += #"],"properties":{"#.utf8
        for (place, column) in columns.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONBytes.append(string: column.name.utf8, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes += Self.schema(of: column.type).utf8
        }
        bytes += "}}\n".utf8
        text = String(decoding: bytes, as: UTF8.self)
    }

    private static func schema(of type: ColumnType) -> String {
        if case .array(let element, _) = type {
            return #"{"bsonType":"array","items":\#(schema(of: element))}"#
        }
        return #"{"bsonType":"\#(name(of: type))"}"#
    }

    private static func name(of type: ColumnType) -> String {
        switch type {
        case .bool: "bool"
        case .integer: "long"
        case .float, .double: "double"
        case .numeric: "decimal"
        case .bytes: "binData"
        case .uuid: "uuid"
        case .time: "date"
        case .json: "mixed"
        case .array: "array"
        case .text: "string"
        }
    }
}
