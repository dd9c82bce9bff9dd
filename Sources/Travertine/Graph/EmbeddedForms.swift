/// The embedded objects that the values of a property were made into, to be stored in their place.
struct EmbeddedForms {
    /// One for each value, in the order of the values; nil for a value that is nil. The keys are
    /// those of a map, and empty otherwise.
    private var entries: [(key: String, object: ObjectBase?)]

    init(_ entries: [(key: String, object: ObjectBase?)]) { self.entries = entries }

    /// The objects in the order of the values.
    var objects: [ObjectBase?] { entries.map(\.object) }

    /// Puts copies in place of the objects that were claimed before.
    mutating func separate(from claimed: inout ClaimedEmbeddedObjects) {
        for index in entries.indices {
            entries[index].object = claimed.claim(entries[index].object)
        }
    }

    /// The stored form of the elements of a collection.
    func encoded(at place: CollectionStorage) -> ElementBatch {
        guard place.property.collection == .map else {
            return List<ObjectBase?>.encode(objects, at: place)
        }
        return Map<String, ObjectBase?>.encode(
            entries.map { (key: $0.key, value: $0.object) }, at: place)
    }
}

/// The embedded objects that are to be stored for values and have no owner yet. Each gets one owner
/// only: a value that holds its object, and is stored several times, gives the same object each
/// time.
struct ClaimedEmbeddedObjects {
    private var identifiers: Set<ObjectIdentifier> = []

    /// Returns an object, or a copy if it was claimed before; the caller retains it.
    mutating func claim(_ object: ObjectBase?) -> ObjectBase? {
        guard let object, !identifiers.insert(ObjectIdentifier(object)).inserted else {
            return object
        }
        return object.copyForOtherOwner()
    }
}
