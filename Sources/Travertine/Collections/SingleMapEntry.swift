/// An entry of a map, as iterating over it yields them.
@frozen
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key.
    public var key: Key
    /// The value.
    public var value: Value
}
