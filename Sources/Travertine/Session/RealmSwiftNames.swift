// Names that code written for RealmSwift mentions, and what they are here.

/// A class of objects, as the Objective-C runtime knew it.
public typealias RealmSwiftObject = Object
/// A class of embedded objects, as the Objective-C runtime knew it.
public typealias RealmSwiftEmbeddedObject = EmbeddedObject
/// What names an asynchronous write transaction, or its commit, of one realm.
public typealias AsyncTransactionId = Realm.AsyncTransactionId
/// An object in a migration.
public typealias MigrationObject = DynamicObject

/// Iterates over results.
public typealias RLMIterator<Element: RealmCollectionValue> = ResultsIterator<Element>
/// Iterates over the entries of a map.
public typealias RLMMapIterator<Entry> = IndexingIterator<[Entry]>
/// Iterates over the entries of a map as pairs.
public typealias RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue> =
    IndexingIterator<[(key: Key, value: Value)]>

// RealmSwift's protocols of these five names are public because its own interface needs them, and
// generic code of apps constrains its parameters by them, as there are no other names for what a
// property or a collection can have. So they are public here too, for that code to compile; the
// library itself does not use them.

/// A type that a property can have.
public typealias _RealmSchemaDiscoverable = _Persistable
/// A type whose values have a stored form.
public typealias _ObjcBridgeable = _Persistable
/// A type with an initial value.
public typealias _DefaultConstructible = _Persistable
/// A type whose optionals can be in collections.
public typealias _RealmCollectionValueInsideOptional =
    RealmCollectionValue & _PersistableInsideOptional
/// A type that is stored as another.
public typealias _CustomPersistable = FailableCustomPersistable

/// A type that `RealmOptional` can hold.
public typealias RealmOptionalType = _SingleValue

/// The name of the property that a key path names, through links with dots. Stops for a key path
/// of anything else.
public func _name<Model: ObjectBase>(for keyPath: PartialKeyPath<Model>) -> String {
    KeyPathTracer.requiredName(of: keyPath)
}

/// What code that was written for Objective-C's objects calls. A class may have properties of
/// these names.
extension _QueryObject {
    /// Whether the other one is an object that `==` holds for.
    public func isEqual(_ object: Any?) -> Bool {
        (object as? ObjectBase).map { $0 == self } ?? false
    }

    /// The same for objects that are equal.
    public var hash: Int { hashValue }

    /// The schema of the class.
    public static func sharedSchema() -> ObjectSchema? { ObjectSchema(ClassInfo.of(self)) }
}

/// What can be sorted by a property's name.
public protocol KeypathSortable {}

extension ObjectBase: KeypathSortable {}
extension Projection: KeypathSortable {}

/// What a list of views identifies its elements by.
///
/// ```swift
/// class Dog: Object, ObjectKeyIdentifiable {
///     @Persisted var name: String
/// }
/// ```
/// A class that has a property `id` is identified by that.
public protocol ObjectKeyIdentifiable: Identifiable {
    /// The same for every handle of one object, and another for every other object of its type.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: RealmFetchable & AnyObject {
    /// The same for every handle of one object, and another for every other object of its type; of
    /// an unmanaged object its place in memory.
    public var id: UInt64 {
        guard let object = _object else { return 0 }
        guard object.session != nil else {
            return UInt64(UInt(bitPattern: ObjectIdentifier(object)))
        }
        // An odd factor keeps the types apart, mostly, and the keys within one always.
        return object.key &+ UInt64(object.table.stored.number) &* 0x9E37_79B9_7F4A_7C15
    }
}

extension Realm {

    /// Deletes the objects that a map links to.
    public func delete<Key: _MapKey, Model: ObjectBase>(_ objects: Map<Key, Model?>) {
        delete(objects.values.compactMap(\.self))
    }
}
