/// What results go over, of elements that are values.
extension RealmCollectionValue {
    /// No rows.
    public static var _objectType: ObjectBase.Type { ObjectBase.self }

    /// Not used: values are read at their places.
    public static func _make(_ object: ObjectBase) -> Self {
        preconditionFailure("values are read at their places")
    }

    /// Most objects make an element.
    public static func _makeIfPossible(_ object: ObjectBase) -> Self? { _make(object) }

    /// Most objects make an element.
    public static func _value(of object: ObjectBase) -> Self? { _make(object) }
}

/// Objects in a map, which may be nil.
extension Optional where Wrapped: RealmCollectionValue & _PersistableInsideOptional {
    /// The class of the objects.
    public static var _objectType: ObjectBase.Type { Wrapped._objectType }

    /// A handle of a stored object; nil for one that makes no value.
    public static func _make(_ object: ObjectBase) -> Self { Wrapped._value(of: object) }
}
