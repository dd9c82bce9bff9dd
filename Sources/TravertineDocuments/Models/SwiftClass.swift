/// A class as text.
struct SwiftClass {
    struct Property {
        let name: String
        let storedName: String
        let type: String
        let isKey: Bool
    }

    let name: String
    let storedName: String
    let isEmbedded: Bool
    /// What the file imports beside Foundation.
    let module: String
    var properties: [Property] = []

    var text: String {
        var lines = ["import Foundation", "import \(module)", ""]
        lines.append("class \(name): \(isEmbedded ? "EmbeddedObject" : "Object") {")
        for property in properties {
            let key = property.isKey ? "(primaryKey: true)" : ""
            lines.append(
                "    @Persisted\(key) var \(SwiftNames.escaped(property.name)): \(property.type)")
        }
        lines += typeNameLines + mappingLines
        lines.append("}")
        return lines.joined(separator: "\n") + "\n"
    }

    private var typeNameLines: [String] {
        if storedName == name { return [] }
        return [
            "", "    override class func objectTypeName() -> String {",
            "        \(SwiftNames.literal(storedName))", "    }",
        ]
    }

    private var mappingLines: [String] {
        let mapped = properties.filter { $0.name != $0.storedName }
        if mapped.isEmpty { return [] }
        let pairs = mapped.map { property in
            SwiftNames.literal(property.name) + ": " + SwiftNames.literal(property.storedName)
        }
        let lines =
            pairs.count == 1
            ? ["        [\(pairs[0])]"]
            : ["        ["] + pairs.map { "            \($0)," } + ["        ]"]
        return ["", "    override class func propertiesMapping() -> [String: String] {"] + lines
            + ["    }"]
    }
}

extension SchemaScalar {
    /// The type of a property.
    var swiftType: String {
        switch self {
        case .long, .int: "Int"
        case .double: "Double"
        case .binData: "Data"
        case .decimal: "Decimal128"
        case .mixed: "AnyRealmValue"
        case .bool: "Bool"
        case .date: "Date"
        case .objectId: "ObjectId"
        case .uuid: "UUID"
        case .string: "String"
        }
    }
}
