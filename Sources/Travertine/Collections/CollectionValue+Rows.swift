/// What results go over, of elements that are values.
extension RealmCollectionValue {
    /// No rows.
    public static var _objectType: ObjectBase.Type { ObjectBase.self }

    /// Not used: values are read at their places.
    public static func _make(_ object: ObjectBase) -> Self {
        preconditionFailure("values are read at their places")
    }
}

/// Objects in a map, which may be nil.
extension Optional where Wrapped: RealmCollectionValue & _PersistableInsideOptional {
    /// The class of the objects.
    public static var _objectType: ObjectBase.Type { Wrapped._objectType }

    /// A handle of a stored object.
    public static func _make(_ object: ObjectBase) -> Self { Wrapped._make(object) }
}
