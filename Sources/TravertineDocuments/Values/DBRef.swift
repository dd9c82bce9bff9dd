/// A reference to a document in another collection, by the convention of MongoDB.
///
/// In a document it is `{"$ref": collection, "$id": key, "$db": database}`, in this order, with the
/// database and further names optional. As a link of an object it has the first two names alone.
public struct DBRef: Sendable, Hashable {
    /// The collection.
    public var collection: String
    /// The key of the document.
    public var id: AnyBSON
    /// The database; nil for the one that the reference is in.
    public var database: String?

    /// A reference.
    public init(collection: String, id: AnyBSON, database: String? = nil) {
        self.collection = collection
        self.id = id
        self.database = database
    }

    /// The reference that a document is; nil for all else. Further names are ignored.
    public init?(_ document: Document) {
        guard document.first?.key == "$ref", let collection = document["$ref"]?.stringValue,
            document.count >= 2, document[1].key == "$id"
        else { return nil }
        self.init(collection: collection, id: document[1].value)
        if document.count > 2, document[2].key == "$db" {
            guard let database = document[2].value.stringValue else { return nil }
            self.database = database
        }
    }

    /// The reference as a document.
    public var document: Document {
        var document: Document = ["$ref": .string(collection), "$id": id]
        if let database { document.append(.string(database), forKey: "$db") }
        return document
    }
}

extension AnyBSON {
    /// The reference that a link of an object is: "$ref" and "$id", in any order, and no other
    /// name, as a dictionary that represents a link keeps nothing else.
    var linkReference: DBRef? {
        guard case .document(let document) = self, document.count == 2,
            let collection = document["$ref"]?.stringValue, let id = document["$id"]
        else { return nil }
        return DBRef(collection: collection, id: id)
    }

    /// The reference to another document; nil for all else.
    public var referenceValue: DBRef? { documentValue.flatMap { DBRef($0) } }
}
