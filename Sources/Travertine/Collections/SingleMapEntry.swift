/// An entry of a map, as iterating over it yields them.
@frozen
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
    /// The key, which no other entry of the map has. Setting it does not change the map.
    public var key: Key
    /// The value of the key. Setting it does not change the map.
    public var value: Value
}
