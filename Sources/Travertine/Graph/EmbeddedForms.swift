/// The embedded objects that the values of a property were made into, to be stored in their place.
struct EmbeddedForms {
    /// One for each value, in the order of the values; nil for a value that is nil. The keys are those
    /// of a map, and empty otherwise.
    private var entries: [(key: String, object: ObjectBase?)]

    init(_ entries: [(key: String, object: ObjectBase?)]) { self.entries = entries }

    /// The objects in the order of the values.
    var objects: [ObjectBase?] { entries.map(\.object) }

    /// Puts copies in place of the objects that were claimed before.
    mutating func separate(from claimed: inout ClaimedEmbeddedObjects) {
        for index in entries.indices {
            entries[index].object = claimed.takeOut(entries[index].object)
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
