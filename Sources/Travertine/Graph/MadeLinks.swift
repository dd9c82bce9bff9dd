/// The embedded objects that the values of a property were made into, to be stored in their place.
public struct _MadeLinks {
    /// One for each value, in the order of the values; nil for a value that is nil.
    private(set) var objects: [ObjectBase?]
    /// The keys of the values of a map.
    private let keys: [String]

    init(_ objects: [ObjectBase?], keys: [String] = []) {
        self.objects = objects
        self.keys = keys
    }

    /// Puts copies in place of the objects that were handed out before.
    mutating func separate(from handedOut: inout ClaimedEmbeddedObjects) {
        for place in objects.indices { objects[place] = handedOut.takeOut(objects[place]) }
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

/// The embedded objects that values were made into and that have no owner yet. Each is to have one: a
/// value that holds its object, and is used several times, hands it out each time.
struct ClaimedEmbeddedObjects {
    private var identifiers: Set<ObjectIdentifier> = []

    /// An object, or a copy if it was taken out before; whoever takes them out holds them.
    mutating func takeOut(_ object: ObjectBase?) -> ObjectBase? {
        guard let object, !identifiers.insert(ObjectIdentifier(object)).inserted else {
            return object
        }
        return object.copyForOtherOwner()
    }
}
