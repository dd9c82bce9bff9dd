import PostgreSQLClient
import Travertine

/// How the documents of a type become rows, compiled from its mapping.
struct RowPlan {
    /// What becomes of a field of a document.
    private indirect enum Step {
        /// It is the next column.
        case column(SQLType)
        /// It is an embedded object with columns, as many as that.
        case embedded([Field], columnCount: Int)
        /// Its elements are rows of a table, by its place among the children.
        case child(Int)
    }

    /// A field of a document, by its name: after a migration documents may have another order than
    /// the properties of their types.
    private struct Field {
        var name: String
        var step: Step
    }

    let mapping: TypeMapping
    /// The columns of a row, in the order in which they are written.
    let columns: [String]
    private let source: String?
    private let steps: [Field]
    private let primaryKey: (place: Int, name: String)?

    init(_ type: FeedType, _ mapping: SyncMapping, _ types: [FeedType]) {
        let own = mapping.types.first { $0.number == type.number }!
        self.mapping = own
        source = mapping.options.source
        let byName = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        var columns = (source == nil ? [] : [SyncState.sourceColumn])
        if let keyColumn = own.keyColumn { columns.append(keyColumn) }
        steps = Self.steps(
            type, own, byName, mapping.options, [], [type.name], &columns)
        self.columns = columns
        primaryKey = type.properties.firstIndex(where: \.isPrimaryKey)
            .map { ($0, type.properties[$0].name) }
    }

    private static func steps(
        _ type: FeedType, _ mapping: TypeMapping, _ types: [String: FeedType],
        _ options: MappingOptions, _ path: [UInt32], _ owners: Set<String>,
        _ columns: inout [String]
    ) -> [Field] {
        type.properties.map { property in
            Field(
                name: property.name,
                step: step(property, mapping, types, options, path, owners, &columns))
        }
    }

    private static func step(
        _ property: FeedProperty, _ mapping: TypeMapping, _ types: [String: FeedType],
        _ options: MappingOptions, _ path: [UInt32], _ owners: Set<String>,
        _ columns: inout [String]
    ) -> Step {
        let path = path + [property.number]
        if let target = MappingLeaf.flattened(property, types, options, owners) {
            let before = columns.count
            let steps = steps(
                target, mapping, types, options, path, owners.union([target.name]), &columns)
            return .embedded(steps, columnCount: columns.count - before)
        }
        if let place = mapping.children.firstIndex(where: { $0.path == path }) {
            return .child(place)
        }
        let column = mapping.columns.first { $0.path == path }!
        columns.append(column.column)
        return .column(column.type)
    }

    /// The value of a field, which is at a place unless the order is another one.
    private static func value(
        of name: String, at place: Int, in document: StoredDocument
    ) -> StoredValue {
        if place < document.fields.count, document.fields[place].name == name {
            return document.fields[place].value
        }
        return document[name] ?? .null
    }

    /// What identifies the rows of an object.
    func identity(of object: FeedObject) -> StoredValue {
        if let primaryKey, !mapping.isIdentifiedByKey {
            return Self.value(of: primaryKey.name, at: primaryKey.place, in: object.document)
        }
        return .int(Int64(bitPattern: object.key))
    }

    /// A collection that has separate rows.
    typealias Elements = (child: Int, values: [StoredValue])

    /// Writes the row of an object; returns the collections that have separate rows.
    func write<Text: RowText>(
        _ object: FeedObject, to text: inout Text, _ values: inout ValueWriter
    ) throws -> [Elements] {
        var elements: [Elements] = []
        if let source { try text.append(source) }
        if mapping.keyColumn != nil { text.append(Int64(bitPattern: object.key)) }
        try write(object.document, steps, to: &text, &values, &elements)
        text.endRow()
        return elements
    }

    private func write<Text: RowText>(
        _ document: StoredDocument, _ steps: [Field], to text: inout Text,
        _ values: inout ValueWriter, _ elements: inout [Elements]
    ) throws {
        for (place, field) in steps.enumerated() {
            let value = Self.value(of: field.name, at: place, in: document)
            do {
                switch (field.step, value) {
                case (.column(let type), _): try values.write(value, type, to: &text)
                case (.embedded(let steps, _), .document(let inner)):
                    try write(inner, steps, to: &text, &values, &elements)
                case (.embedded(_, let count), _): for _ in 0..<count { text.appendNull() }
                case (.child(let child), .array(let found)): elements.append((child, found))
                case (.child, _): break
                }
            } catch PostgreSQLError.nulCharacter {
                throw UnstorableText(name: field.name)
            }
        }
    }

    /// Writes the rows of the elements of a collection.
    func write<Text: RowText>(
        _ elements: [StoredValue], ofChild child: Int, owner: StoredValue, to text: inout Text,
        _ values: inout ValueWriter
    ) throws {
        let type = mapping.children[child].type
        for (position, element) in elements.enumerated() {
            if let source { try text.append(source) }
            try values.write(owner, mapping.identity.type, to: &text)
            text.append(Int64(position))
            do {
                try values.write(element, type, to: &text)
            } catch PostgreSQLError.nulCharacter {
                throw UnstorableText(name: mapping.children[child].name)
            }
            text.endRow()
        }
    }
}

/// A text with U+0000.
struct UnstorableText: Error {
    var name: String
}
