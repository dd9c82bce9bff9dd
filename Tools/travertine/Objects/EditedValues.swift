import Travertine
import TravertineDocuments

/// The values that a statement of `edit` gives to properties, as dynamic objects take them.
struct EditedValues {
    let objects: ObjectsOfType
    private var realm: Realm { objects.realm }
    private var schema: ObjectSchema { objects.schema }

    /// Each property with its value; nil is null.
    func values(of fields: EditStatement.Fields) throws -> [(property: Property, value: Any?)] {
        switch fields {
        case .document(let document):
            return try document.map { element in
                let property = try property(element.key)
                return (property, try value(element.value, of: property, hasTextsOnly: false))
            }
        case .texts(let texts):
            return try texts.map { text in
                let property = try property(text.name)
                return (property, try value(text, of: property))
            }
        }
    }

    private func property(_ name: String) throws -> Property {
        guard let property = schema[name], property.type != .linkingObjects else {
            throw CommandError(
                ExitStatus.usage,
                "Property '\(name)' not found in '\(objects.name)'. There are: "
                    + schema.properties.filter { $0.type != .linkingObjects }.map(\.columnName)
                    .joined(separator: ", ") + ".")
        }
        return property
    }

    /// The value that a text stands for: of the property's type, null for `nil` without quotes.
    private func value(_ text: EditStatement.Text, of property: Property) throws -> Any? {
        let isCollection = property.isArray || property.isSet || property.isMap
        let isLink = property.type == .object
        let isEmbedded = try isLink && linkedType(of: property) == nil
        // These are documents, whether in quotes or not.
        if text.isQuoted, isCollection || isEmbedded {
            return try value(Self.json(text), of: property, hasTextsOnly: false)
        }
        if !text.isQuoted {
            if ["nil", "null"].contains(text.text), !isCollection {
                if property.isOptional || isLink || property.type == .any { return nil }
                throw CommandError(
                    ExitStatus.badData,
                    "Property '\(objects.name).\(text.name)' can't be nil. If the text is meant, put "
                        + "it in quotes.")
            }
            if isCollection || property.type == .any || isLink && text.text.hasPrefix("{") {
                return try value(Self.json(text), of: property, hasTextsOnly: false)
            }
        }
        return try value(.string(text.text), of: property, hasTextsOnly: true)
    }

    private static func json(_ text: EditStatement.Text) throws -> AnyBSON {
        do {
            return try AnyBSON(extendedJSON: text.text)
        } catch {
            throw CommandError(
                ExitStatus.usage,
                "\(text.name) takes Extended JSON, and “\(text.text)” is none: \(error)".asSentence
                    + " A text is in quotes.")
        }
    }

    private func value(
        _ value: AnyBSON, of property: Property, hasTextsOnly: Bool
    ) throws -> Any? {
        if let target = try linkedType(of: property) {
            return try links(value, to: target, isMap: property.isMap)
        }
        if value == .null { return nil }
        if property.type == .any, case .document(let document) = value,
            let link = try reference(document)
        {
            return link
        }
        if property.type == .any { try refuseReferences(inside: value, of: property) }
        let converter = ObjectValues(type: schema, hasTextsOnly: hasTextsOnly)
        let name = property.columnName
        return converter.values(of: Document([(name, value)]))[name]
    }

    // MARK: Links

    /// The type that a property links to, unless it is embedded.
    private func linkedType(of property: Property) throws -> ObjectsOfType? {
        guard property.type == .object, let name = property.objectClassName else { return nil }
        let target = try ObjectsOfType(name, in: realm)
        return target.schema.isEmbedded ? nil : target
    }

    private func links(_ value: AnyBSON, to target: ObjectsOfType, isMap: Bool) throws -> Any? {
        switch value {
        case .null: return nil
        case .array(let values):
            return try values.map { try links($0, to: target, isMap: false) as Any }
        case .document(let document) where isMap:
            return Dictionary(
                try document.map { ($0.key, try links($0.value, to: target, isMap: false) as Any) },
                uniquingKeysWith: { $1 })
        // A reference that names the type, as exports have for derived classes.
        case .document(let document):
            guard let link = try reference(document) else {
                throw CommandError(
                    ExitStatus.badData,
                    "a link to \(target.name) is the key of its target, and not an object.")
            }
            return link
        default: return try object(value, of: target)
        }
    }

    /// The object that a reference names by its type and key; nil for another document.
    private func reference(_ document: Document) throws -> DynamicObject? {
        guard case .string(let type)? = document["$ref"], let key = document["$id"] else {
            return nil
        }
        return try object(key, of: ObjectsOfType(type, in: realm))
    }

    /// Refuses links in collections of any type, which would be stored as dictionaries.
    private func refuseReferences(inside value: AnyBSON, of property: Property) throws {
        switch value {
        case .array(let values):
            for value in values { try refuseReferences(inside: value, of: property) }
        case .document(let document):
            if document["$ref"] != nil, document["$id"] != nil {
                throw CommandError(
                    ExitStatus.badData,
                    "Property '\(objects.name).\(property.columnName)' is given a link inside a "
                        + "collection. edit sets a link as the value itself only.")
            }
            for element in document { try refuseReferences(inside: element.value, of: property) }
        default: return
        }
    }

    /// The object with a key: a text as it is typed, or a value of the key's type.
    private func object(_ key: AnyBSON, of target: ObjectsOfType) throws -> DynamicObject {
        let objectKey: UInt64? =
            if let text = key.stringValue {
                try target.objectKey(of: text)
            } else if target.schema.primaryKeyProperty == nil {
                key.int64Value.flatMap { UInt64(exactly: $0) }
            } else {
                try target.exporter.objectKey(forPrimaryKey: key)
            }
        guard let found = objectKey.flatMap({ target.exporter.object(forObjectKey: $0) }) else {
            throw CommandError(
                ExitStatus.badData,
                "there is no \(target.name) \(CellText.shown(key)) to link to.")
        }
        return found
    }
}
