/// Where the documents of a type are.
public struct CollectionPlace: Sendable, Hashable {
    /// The data source.
    public var source: String
    /// The database.
    public var database: String
    /// The collection.
    public var collection: String

    /// A place.
    public init(source: String, database: String, collection: String) {
        self.source = source
        self.database = database
        self.collection = collection
    }
}
