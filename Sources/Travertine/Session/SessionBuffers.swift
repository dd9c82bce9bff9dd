/// Memory that a session uses again and again: nothing in it is kept from one use to the next.
struct SessionBuffers {
    /// The row that is being made.
    let encoder = _RowEncoder()
    /// The changes of derived keyspaces that a change of a row asks for.
    let derivedEntries = DerivedEntries()
    /// The key of an index that is looked up.
    var key = IndexKey()
    /// The links that deleting an object takes out.
    var links: [(source: UInt64, count: Int)] = []
}

/// Where something was found last, right until the realm shows another state.
struct FoundPlaces {
    /// Where an element of a large collection was found.
    let finger = CollectionFinger()
    /// The links to one object.
    var backlinks: CachedBacklinks?

    /// Forgets all of it.
    mutating func reset() {
        backlinks = nil
        finger.reset()
    }
}

/// The loops and `write` blocks that let handles stand for several objects.
struct HandleRecycling {
    /// How many of them go on.
    var depth = 0
    /// What has the values of the object that a loop's handle stands for.
    var feeder: Unmanaged<ColumnFeeder>?
    /// The tables that have such handles.
    var tables: [TableState] = []
}
