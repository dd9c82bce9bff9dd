/// What to write in place of types that these schemas don't have.
enum TypeAdvice {
    /// The types of JSON Schema, and names that others have for those of BSON.
    private static let names = [
        "integer": "long", "number": "double", "float": "double", "boolean": "bool",
        "binary": "binData", "bindata": "binData", "decimal128": "decimal", "text": "string",
        "objectid": "objectId", "datetime": "date", "any": "mixed",
        "null": "mixed", "undefined": "mixed", "list": "array", "set": "array",
        "dictionary": "object", "map": "object", "document": "object", "guid": "uuid",
        "int32": "int", "int64": "long", "data": "binData",
    ]
    /// Keywords that only one type has.
    private static let implied = [
        ("properties", "object"), ("additionalProperties", "object"), ("items", "array"),
    ]
    /// Keywords in the place of a type.
    private static let unsupported = ["$ref", "oneOf", "anyOf", "allOf", "not", "enum", "const"]

    /// What to write for a type by another name; all types if there is none.
    static func instead(of type: String) -> String {
        let small = type.lowercased()
        let scalars = SchemaScalar.allCases.map(\.rawValue)
        let own = (scalars + ["array", "object"]).first { $0.lowercased() == small }
        if let name = own ?? names[small] { return ": write \"\(name)\"" }
        return "; there are \(scalars.joined(separator: ", ")), array and object"
    }

    /// What to write where there is no `bsonType`, by the keywords that are there.
    static func withoutType(_ members: [JSONNode.Member]) -> String {
        if let type = members.first(where: { $0.key == "type" })?.node {
            guard case .string(let text) = type.value else {
                return ": write one in place of \"type\""
            }
            let known = SchemaScalar(rawValue: text) != nil || ["array", "object"].contains(text)
            return
                ": write \"bsonType\": \"\(known ? text : names[text.lowercased()] ?? "mixed")\" "
                + "in place of \"type\""
        }
        for (keyword, type) in implied where members.contains(where: { $0.key == keyword }) {
            return ": write \"bsonType\": \"\(type)\" beside \"\(keyword)\""
        }
        guard let other = members.first(where: { unsupported.contains($0.key) }) else {
            return ": write \"mixed\" for values of any type"
        }
        if other.key == "$ref" { return ": write what \"$ref\" refers to in its place" }
        return ": beside \"\(other.key)\", write the type of its values, or \"mixed\""
    }
}
