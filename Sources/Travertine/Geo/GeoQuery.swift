extension Query where T: _QueryLink, T._Target: EmbeddedObject {
    /// The point of an embedded object, or of one in a collection, lies in a shape or on its edge;
    /// nil lies nowhere.
    ///
    /// The object's class stores a string `type`, which is "Point", and a list of doubles
    /// `coordinates`, the longitude first; an object that has others lies nowhere. Stops with a
    /// message for a class that stores no such properties.
    public func geoWithin(_ shape: any GeoShape) -> Query<Bool> {
        Query<Bool>(.isWithin(path, ShapeConstant(shape)), scope: scope)
    }
}
