/// A way along links to a property of the object at its end.
struct LinkPath {
    struct Hop {
        var table: TableState
        var slot: Int
        /// Whether the links are the elements of a collection.
        var isCollection: Bool
    }

    /// The links that are followed, from the object that the path begins at; perhaps none.
    var hops: [Hop]
    /// The table of the last object.
    var target: TableState
    /// The last property.
    var slot: Int
}
