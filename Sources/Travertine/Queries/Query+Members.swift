/// Properties in `where`, by key paths.
extension Query {
    private func adding<Root: ObjectBase, Value>(_ keyPath: KeyPath<Root, Value>) -> Query<Value> {
        adding(
            KeyPathTracer.requiredNames(of: keyPath).map { .property($0) },
            isCollection: Self.isCollection(Value.self))
    }

    /// Whether a property has many values. Looking a conformance up takes longer than all else
    /// here, so that the types that are asked for most come first.
    private static func isCollection<Value>(_ type: Value.Type) -> Bool {
        type != Int.self && type != String.self && type is any _QueryCollection.Type
    }
}

extension Query where T: _QueryObject {
    /// A property of the object.
    public subscript<Value>(dynamicMember keyPath: KeyPath<T, Value>) -> Query<Value> {
        adding(keyPath)
    }
}

extension Query where T: _QueryLink {
    /// A property of the linked object, or of the objects in a collection.
    public subscript<Value>(dynamicMember keyPath: KeyPath<T._Target, Value>) -> Query<Value> {
        adding(keyPath)
    }
}

extension Query where T: _QueryProjection {
    /// A property of the object that is seen.
    public subscript<Value>(dynamicMember keyPath: KeyPath<T.Root, Value>) -> Query<Value> {
        adding(keyPath)
    }
}

/// Values that are stored as embedded objects: their members here are those of the objects.
extension Query {
    /// A property of the embedded object that is stored for a value.
    public subscript<Form: EmbeddedObject, Value>(
        dynamicMember keyPath: KeyPath<Form, Value>
    ) -> Query<Value> where T: FailableCustomPersistable, T.PersistedType == Form {
        adding(keyPath)
    }

    /// A property of the embedded object that is stored for a value.
    public subscript<Form: EmbeddedObject, Value>(
        dynamicMember keyPath: KeyPath<Form, Value>
    ) -> Query<Value> where T: _HasPersistedType, T.PersistedType == Form? {
        adding(keyPath)
    }

    /// A property of the embedded objects that are stored for values.
    public subscript<Form: EmbeddedObject, Value>(
        dynamicMember keyPath: KeyPath<Form, Value>
    ) -> Query<Value>
    where
        T: RealmCollection, T.Element: FailableCustomPersistable, T.Element.PersistedType == Form
    {
        adding(keyPath)
    }

    /// The value of a property that is declared with `RealmProperty`.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<RealmProperty<Value>, Value>
    ) -> Query<Value> where T == RealmProperty<Value> {
        retyped()
    }
}

// MARK: - What is stored

extension Query where T: PersistableEnum {
    /// The raw value, which is what is stored.
    public var rawValue: Query<T.RawValue> { retyped() }
}

extension Query where T: _QueryOptional, T.Wrapped: PersistableEnum {
    /// The raw value, which is what is stored.
    public var rawValue: Query<T.Wrapped.RawValue?> { retyped() }
}

extension Query where T: _QueryCollection, T._AggregatedElement: PersistableEnum {
    /// The raw values of the elements.
    public var rawValue: Query<T._AggregatedElement.RawValue> { retyped() }
}

extension Query where T: FailableCustomPersistable {
    /// What is stored for the value.
    public var persistableValue: Query<T.PersistedType> { retyped() }
}

extension Query where T: _QueryOptional, T.Wrapped: FailableCustomPersistable {
    /// What is stored for the value.
    public var persistableValue: Query<T.Wrapped.PersistedType?> { retyped() }
}

extension Query where T: _QueryCollection, T._AggregatedElement: FailableCustomPersistable {
    /// What is stored for the elements.
    public var persistableValue: Query<T._AggregatedElement.PersistedType> { retyped() }
}
