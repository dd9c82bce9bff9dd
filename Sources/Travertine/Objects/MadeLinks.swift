/// The embedded objects that the values of a property were made into, to be stored in their place.
public struct _MadeLinks {
    /// One for each value, in the order of the values; nil for a value that is nil.
    let objects: [ObjectBase?]
    /// The keys of the values of a map.
    private let keys: [String]

    init(_ objects: [ObjectBase?], keys: [String] = []) {
        self.objects = objects
        self.keys = keys
    }

    /// The stored form of the elements of a collection that has its place.
    func encoded(at place: CollectionStorage) -> ElementBatch {
        guard place.property.collection == .map else {
            return List<ObjectBase?>.encode(objects, at: place)
        }
        let entries = zip(keys, objects).map { (key: $0, value: $1) }
        return Map<String, ObjectBase?>.encode(entries, at: place)
    }
}
