/// Writing a schema as the text of its file.
extension DocumentSchema {
    /// The schema as text: title, type, required names, properties, and what else it says.
    ///
    /// Two spaces indent a level, every name and element has a line, and the last line ends.
    public var jsonSchema: String { JSONLayout.text(of: json) }

    /// The schema as JSON.
    var json: JSONConstant { .object(members) }

    fileprivate var members: [JSONConstant.Member] {
        var members: [JSONConstant.Member] = []
        if let title { members.append(JSONConstant.Member(key: "title", value: .string(title))) }
        members.append(JSONConstant.Member(key: "bsonType", value: .string("object")))
        if !required.isEmpty {
            members.append(
                JSONConstant.Member(
                    key: "required", value: .array(required.map { .string($0) })))
        }
        let values = properties.map {
            JSONConstant.Member(key: $0.name, value: .object($0.value.members))
        }
        members.append(JSONConstant.Member(key: "properties", value: .object(values)))
        return members + constraints.members
    }
}

extension ValueSchema {
    fileprivate var members: [JSONConstant.Member] {
        func member(_ key: String, _ value: JSONConstant) -> JSONConstant.Member {
            JSONConstant.Member(key: key, value: value)
        }
        switch type {
        case .scalar(let scalar):
            return [member("bsonType", .string(scalar.rawValue))] + constraints.members
        case .array(let items, let isUnique):
            let unique = isUnique ? [member("uniqueItems", .bool(true))] : []
            return [member("bsonType", .string("array"))] + unique
                + [member("items", .object(items.members))] + constraints.members
        case .dictionary(let values):
            return [
                member("bsonType", .string("object")),
                member("additionalProperties", .object(values.members)),
            ] + constraints.members
        case .object(let schema): return schema.members + constraints.members
        }
    }
}

extension [DocumentSchema.Constraint] {
    fileprivate var members: [JSONConstant.Member] {
        map { JSONConstant.Member(key: $0.keyword, value: $0.value) }
    }
}
