import Travertine

extension Document {
    /// The values of a stored object under their stored names: of an asymmetric one that
    /// `realm.ingest` reads.
    ///
    /// Floats become doubles; a link in a value of any type becomes a `DBRef`.
    public init(_ stored: StoredDocument) {
        self.init(elements: stored.fields.map { Element(key: $0.name, value: AnyBSON($0.value)) })
    }
}

extension AnyBSON {
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
