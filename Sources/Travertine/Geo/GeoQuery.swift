import TravertineStore

extension Query {
    /// The point of an embedded object lies in a shape or on its edge; nil lies nowhere.
    ///
    /// The object's class stores a string `type`, which is "Point", and a list of doubles
    /// `coordinates`, the longitude first; an object that has others lies nowhere. Stops with a
    /// message for a class that stores no such properties.
    public func geoWithin<Target: EmbeddedObject>(_ shape: any GeoShape) -> Query<Bool>
    where T == Target? {
        Query<Bool>(.predicate(.isWithin(path, shape)))
    }

    /// The point of one of the embedded objects lies in a shape or on its edge.
    public func geoWithin<Target: EmbeddedObject>(_ shape: any GeoShape) -> Query<Bool>
    where T == List<Target> {
        Query<Bool>(.predicate(.isWithin(path, shape)))
    }
}
