import TravertineStore

/// Values or objects under keys in a realm: a `Map`.
///
/// `where`, `sorted` and `distinct` give the values as ``Results``, in the order of the keys unless
/// they are sorted; see ``RealmCollection`` for what they cost. The map must be managed.
public protocol RealmKeyedCollection<Key, Value>: Sequence, ThreadConfined,
    CustomStringConvertible, _AggregatedCollection
where _AggregatedElement == Value {
    /// The type of the keys.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue
    /// The number of entries.
    var count: Int { get }
    /// The keys, in the order of their bytes.
    var keys: [Key] { get }
    /// The values, in the order of the bytes of their keys.
    var values: [Value] { get }
    /// The value under a key; nil if there is none. Setting nil removes the entry.
    subscript(key: Key) -> Value? { get set }
    /// Puts a value under a key.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes the entry of a key if there is one.
    func removeObject(for key: Key)
    /// Removes every entry.
    func removeAll()
}

extension RealmKeyedCollection {
    /// The values.
    public var _aggregatedElements: [Value] { values }

    /// The values that fulfil a condition, live and in the order of their keys.
    public func `where`(_ condition: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        _aggregatedResults.where(condition)
    }

    /// The values in the order of properties.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Value> {
        _aggregatedResults.sorted(by: descriptors)
    }

    /// The values in the order of a property, by its name; values that are no objects by "self".
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        _aggregatedResults.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The values in their order: nil first, then NaN, then numbers; strings by their bytes.
    public func sorted(ascending: Bool = true) -> Results<Value>
    where Value: _HasPersistedType, Value.PersistedType: SortableType {
        _aggregatedResults.sorted(ascending: ascending)
    }

    /// Of values with equal properties, by their names, the first one only.
    public func distinct(by keyPaths: some Sequence<String>) -> Results<Value> {
        _aggregatedResults.distinct(by: keyPaths)
    }

    /// Of equal values, or of handles of one object, the first one only.
    public func distinct() -> Results<Value> { _aggregatedResults.distinct() }
}

extension Map: RealmKeyedCollection {
    /// The values of a managed map as results.
    public var _aggregatedResults: Results<Value> { Results(of: anchor, "map") }
}

/// A position in a `Map`, good until the map is changed.
public struct MapIndex: Hashable, Comparable, Sendable {
    /// How many entries are before it.
    public let offset: UInt

    /// Whether the first is before the second.
    public static func < (left: MapIndex, right: MapIndex) -> Bool { left.offset < right.offset }
}

extension Map {
    /// The first position.
    public var startIndex: MapIndex { MapIndex(offset: 0) }

    /// The position after the last entry.
    public var endIndex: MapIndex { MapIndex(offset: UInt(count)) }

    /// The position after another.
    public func index(after position: MapIndex) -> MapIndex {
        MapIndex(offset: position.offset + 1)
    }

    /// The entry at a position, in the order of the bytes of the keys. In a managed map it costs
    /// the logarithm of their number at most; in an unmanaged one the first use after a change
    /// sorts all.
    public subscript(position: MapIndex) -> SingleMapEntry<Key, Value> {
        if let entry = entry(at: Int(clamping: position.offset)) { return entry }
        require(
            position.offset < count || session?.failure != nil,
            "Index \(position.offset) is out of bounds (must be less than \(count)).")
        // Damage was found, and is thrown by the next call that can.
        return SingleMapEntry(key: Key(_text: ""), value: Value._blank)
    }

    /// The first position of a value, or nil: of a handle of the same object, or an equal value.
    public func index(of value: Value) -> MapIndex? {
        guard let anchor else {
            return allEntries().firstIndex { isSameElement($0.value, value) }
                .map { MapIndex(offset: UInt($0)) }
        }
        return anchor.read(nil) { storage in
            var offset: UInt = 0
            var isFound = false
            try storage.visitElements { element in
                let other = Value.stored(element.value, at: storage)
                isFound = other.map { isSameElement($0, value) } ?? false
                if !isFound { offset += 1 }
                return !isFound
            }
            return isFound ? MapIndex(offset: offset) : nil
        }
    }

    /// The entry at a position, or nil; with a blank value where the value is one that the type has
    /// none for.
    private func entry(at position: Int) -> SingleMapEntry<Key, Value>? {
        guard let anchor else {
            let entries = allEntries()
            guard position < entries.count else { return nil }
            return SingleMapEntry(key: entries[position].key, value: entries[position].value)
        }
        return anchor.read(nil) { storage in
            try storage.element(at: position) { element in
                SingleMapEntry(
                    key: Key(_text: String(decoding: element.key, as: UTF8.self)),
                    value: Value.stored(element.value, at: storage) ?? ._blank)
            }
        }
    }
}
