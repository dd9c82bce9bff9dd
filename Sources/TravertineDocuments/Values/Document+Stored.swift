import Travertine

/// Documents of stored objects.
extension Document {
    /// The values of a stored object under their stored names: of an asymmetric one that
    /// `realm.outbox` reads.
    ///
    /// Floats become doubles; a link in a value of any type, to an object of a derived class, or to
    /// one without primary key, becomes a `DBRef`. Integers have 64 bits, as what is stored does
    /// not have their widths.
    public init(_ stored: StoredDocument) {
        self.init(elements: stored.fields.map { Element(key: $0.name, value: AnyBSON($0.value)) })
    }

    /// The values of a stored object under their stored names, with integers of 32 bits where the
    /// schema of its type gives them that width and they fit.
    public init(_ stored: StoredDocument, schema: DocumentSchema) {
        self.init(
            elements: stored.fields.map {
                Element(key: $0.name, value: AnyBSON($0.value, schema[$0.name]))
            })
    }
}

extension AnyBSON {
    fileprivate init(_ stored: StoredValue, _ schema: ValueSchema?) {
        switch (stored, schema?.type) {
        case (.int(let number), .scalar(.int)?):
            self = Int32(exactly: number).map { .int32($0) } ?? .int64(number)
        case (.array(let values), .array(let items, _)?):
            self = .array(values.map { AnyBSON($0, items) })
        case (.document(let map), .dictionary(let values)?):
            self = .document(
                Document(
                    elements: map.fields.map {
                        Document.Element(key: $0.name, value: AnyBSON($0.value, values))
                    }))
        case (.document(let object), .object(let inner)?):
            self = .document(Document(object, schema: inner))
        default: self.init(stored)
        }
    }

    /// The value of a stored object's property.
    public init(_ stored: StoredValue) {
        self =
            switch stored {
            case .null: .null
            case .int(let value): .int64(value)
            case .bool(let value): .bool(value)
            case .float(let value): .double(Double(value))
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .data(let value): .binary(value)
            case .date(let value): .datetime(value)
            case .objectId(let value): .objectId(value)
            case .decimal128(let value): .decimal128(value)
            case .uuid(let value): .uuid(value)
            case .array(let values): .array(values.map { AnyBSON($0) })
            case .document(let value): .document(Document(value))
            case .link(let type, let key):
                .document(["$ref": .string(type), "$id": AnyBSON(key)])
            }
    }
}
