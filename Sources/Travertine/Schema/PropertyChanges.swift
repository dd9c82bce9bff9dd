import TravertineStore

/// A stored property that the class declares with another type.
struct ChangedProperty {
    /// The stored name and the number of its type.
    var typeName: String
    var typeNumber: UInt32
    /// The keyspace of the pieces of its type's collections; 0 without.
    var pieces: KeyspaceID
    /// The property, by its name after renaming.
    var property: StoredProperty
    var declared: ClassInfo.Property
    /// Whether the declared link can lead to objects of several classes.
    var varies: Bool

    /// How values are converted; nil if they are removed.
    var conversion: PropertyConversion? {
        PropertyConversion(property, declared, varies: varies)
    }

    /// The property in its place, without number and keyspaces.
    var successor: StoredProperty {
        var new = property
        new.type = declared.type.type
        new.isOptional = declared.type.isOptional
        new.collection = declared.type.collection
        new.target = declared.target
        if new.type == .object, varies || property.isVarying {
            new.makeVarying()
        } else {
            new.isVarying = false
        }
        new.isOwning = property.isOwning && declared.type.type == .object
        new.defaultValue = declared.defaultValue
        new.isPrimaryKey = false
        new.isRequired = false
        new.isIndexed = false
        new.index = .absent
        new.backlinks = .absent
        return new
    }
}

/// What a change of the schema does with stored values.
struct PropertyChanges {
    var removed: [RemovedProperty]
    var changed: [ChangedProperty]

    var isEmpty: Bool { removed.isEmpty && changed.isEmpty }
}
