/// The elements of a collection of any kind, which a list or a set can be set to: an array, a set,
/// a slice, another list, results. Nil for anything else, and for what is a single value or has
/// keys.
func anyElements(of value: Any) -> [Any]? {
    if let values = value as? [Any] { return values }
    if value is any _Scalar || value is any StringProtocol || value is any DictionaryOfAny {
        return nil
    }
    return (value as? any Collection).map { elements(of: $0) }
}

private func elements(of values: some Collection) -> [Any] { values.map { $0 } }

/// A Swift dictionary, whose elements are entries.
private protocol DictionaryOfAny {}

extension Dictionary: DictionaryOfAny {}

/// A collection that may be the stored one of an object's property.
private protocol AnchoredCollection {
    var anchor: CollectionAnchor? { get }
}

extension List: AnchoredCollection {}
extension MutableSet: AnchoredCollection {}
extension Map: AnchoredCollection {}

extension _StoredCollection {
    /// Whether a value is the same stored collection, seen by this or another class of elements.
    func isSameCollection(as value: Any) -> Bool {
        guard let own = (self as? any AnchoredCollection)?.anchor,
            let other = (value as? any AnchoredCollection)?.anchor
        else { return false }
        return own.isSame(as: other)
    }
}
