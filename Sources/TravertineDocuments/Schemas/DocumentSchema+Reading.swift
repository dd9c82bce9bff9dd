/// Reading a schema from the text of its file (C-D1).
extension DocumentSchema {
    /// The schema that a text is.
    ///
    /// What it does not know it keeps as constraints. Costs time in proportion to the text.
    ///
    /// - Throws: `DocumentError.invalidJSON` or `.invalidSchema`, with line and column.
    public init(jsonSchema text: String) throws(DocumentError) {
        let node = try JSONNode(text)
        var reader = try SchemaReader(node, path: "the schema")
        let title = try reader.takeText("title")
        guard try reader.takeType() == "object" else {
            throw reader.failure("the schema of an object type has \"bsonType\": \"object\"")
        }
        guard let title, !title.isEmpty else {
            throw reader.failure("an object type has a \"title\", which is its name")
        }
        self = try reader.objectSchema()
        self.title = title
    }
}

/// Reads one level of a schema: takes the keywords that it knows, keeps the rest.
private struct SchemaReader {
    private var members: [JSONNode.Member]
    private let position: TextPosition
    private let path: String

    init(_ node: JSONNode, path: String) throws(DocumentError) {
        guard case .object(let members) = node.value else {
            throw .invalidSchema(reason: "\(path) must be an object", position: node.position)
        }
        self.members = members
        position = node.position
        self.path = path
    }

    func failure(_ reason: String, at node: JSONNode? = nil) -> DocumentError {
        .invalidSchema(reason: reason, position: node?.position ?? position)
    }

    private mutating func take(_ keyword: String) -> JSONNode? {
        guard let index = members.firstIndex(where: { $0.key == keyword }) else { return nil }
        return members.remove(at: index).node
    }

    mutating func takeText(_ keyword: String) throws(DocumentError) -> String? {
        guard let node = take(keyword) else { return nil }
        guard case .string(let text) = node.value else {
            throw failure("\"\(keyword)\" of \(path) must be a text", at: node)
        }
        return text
    }

    /// The type, which must be one by its name in BSON.
    mutating func takeType() throws(DocumentError) -> String {
        guard let node = take("bsonType") else {
            throw failure("\(path) has no \"bsonType\"" + TypeAdvice.withoutType(members))
        }
        switch node.value {
        case .string(let text): return text
        case .array:
            throw failure(
                "\"bsonType\" of \(path) must be one type: null is allowed wherever \"required\" "
                    + "does not name the property, and \"mixed\" allows several types", at: node)
        default: throw failure("\"bsonType\" of \(path) must be a text", at: node)
        }
    }

    /// What is left, without keywords that say nothing where they have no meaning, such as
    /// `uniqueItems: false` of a text.
    private var constraints: [DocumentSchema.Constraint] {
        members.compactMap { member in
            let constant = JSONConstant.Member(key: member.key, value: member.node.constant)
            if constant.saysNothing { return nil }
            return DocumentSchema.Constraint(constant.key, constant.value)
        }
    }

    mutating func objectSchema() throws(DocumentError) -> DocumentSchema {
        let title = try takeText("title")
        let required = try takeRequired()
        let properties = try takeProperties()
        let names = Set(properties.map { NameBytes($0.name) })
        for (name, node) in required where !names.contains(NameBytes(name)) {
            throw failure(
                "\"\(name)\" is required in \(path) and is no property: name it in \"properties\" "
                    + "too, or take it out of \"required\"", at: node)
        }
        return DocumentSchema(
            title: title, properties: properties, required: required.map(\.name),
            constraints: constraints)
    }

    private mutating func takeRequired() throws(DocumentError) -> [(name: String, JSONNode)] {
        guard let node = take("required") else { return [] }
        guard case .array(let elements) = node.value else {
            throw failure("\"required\" of \(path) must be an array of names", at: node)
        }
        var names: [(name: String, JSONNode)] = []
        var seen: Set<NameBytes> = []
        for element in elements {
            guard case .string(let name) = element.value else {
                throw failure("\"required\" of \(path) must be an array of names", at: element)
            }
            if !seen.insert(NameBytes(name)).inserted {
                throw failure("\"\(name)\" is required twice in \(path)", at: element)
            }
            names.append((name, element))
        }
        return names
    }

    private mutating func takeProperties() throws(DocumentError) -> [DocumentSchema.Property] {
        guard let node = take("properties") else { return [] }
        guard case .object(let members) = node.value else {
            throw failure("\"properties\" of \(path) must be an object", at: node)
        }
        var properties: [DocumentSchema.Property] = []
        for member in members {
            var reader = try SchemaReader(member.node, path: "\"\(member.key)\"")
            properties.append(DocumentSchema.Property(member.key, try reader.valueSchema()))
        }
        return properties
    }

    private mutating func valueSchema() throws(DocumentError) -> ValueSchema {
        let typeNode = members.first { $0.key == "bsonType" }?.node
        let type = try takeType()
        if let scalar = SchemaScalar(rawValue: type) {
            return ValueSchema(.scalar(scalar), constraints: constraints)
        }
        switch type {
        case "array":
            let isUnique = try takeFlag("uniqueItems")
            let items = try takeSchema("items") ?? .scalar(.mixed)
            return ValueSchema(.array(of: items, isUnique: isUnique), constraints: constraints)
        case "object": return try objectOrDictionary()
        default:
            throw failure(
                "\(path) has the type \"\(type)\"" + TypeAdvice.instead(of: type), at: typeNode)
        }
    }

    private mutating func objectOrDictionary() throws(DocumentError) -> ValueSchema {
        // Without properties, and open to none, it is an object that is empty.
        let isClosed = members.contains {
            if case ("additionalProperties", .bool(false)) = ($0.key, $0.node.value) {
                true
            } else {
                false
            }
        }
        if isClosed || members.contains(where: { $0.key == "properties" }) {
            let schema = try objectSchema()
            return ValueSchema(.object(schema))
        }
        let values = try takeSchema("additionalProperties") ?? .scalar(.mixed)
        return ValueSchema(.dictionary(of: values), constraints: constraints)
    }

    private mutating func takeFlag(_ keyword: String) throws(DocumentError) -> Bool {
        guard let node = take(keyword) else { return false }
        guard case .bool(let flag) = node.value else {
            throw failure("\"\(keyword)\" of \(path) must be true or false", at: node)
        }
        return flag
    }

    /// The schema under a keyword; `true` stands for any value.
    private mutating func takeSchema(_ keyword: String) throws(DocumentError) -> ValueSchema? {
        guard let node = take(keyword) else { return nil }
        if case .bool(true) = node.value { return nil }
        let path = "\"\(keyword)\" of \(path)"
        if case .bool(false) = node.value {
            throw failure(
                "\(path) must be an object: false leaves no value that could be there", at: node)
        }
        var reader = try SchemaReader(node, path: path)
        return try reader.valueSchema()
    }
}
