import Travertine

/// A reference to a document by collection and identifier, from before DBRef.
public struct BSONPointer: Sendable, Hashable {
    /// The collection.
    public var collection: String
    /// The document's identifier.
    public var id: ObjectId

    /// A reference.
    public init(collection: String, id: ObjectId) {
        self.collection = collection
        self.id = id
    }
}
