/// The base class of persistent objects.
///
/// ```swift
/// class Country: Object {
///     @Persisted(primaryKey: true) var code: String
///     @Persisted var name: String
/// }
/// ```
/// See `ObjectBase` for what objects can do, and when they are managed.
open class Object: ObjectBase {}

/// The base class of objects that belong to exactly one other object.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var street: String
/// }
/// class Person: Object {
///     @Persisted var home: Address?
///     @Persisted var others: List<Address>
/// }
/// ```
/// An embedded object comes into a realm with its owner, or by being assigned to a property or
/// added to a list or map of one. It is deleted with its owner, and when it is taken out or
/// overwritten. It can't have a second owner, and has no primary key.
open class EmbeddedObject: ObjectBase {
    /// The object that it belongs to; nil if it is unmanaged or was deleted, or belongs to an
    /// asymmetric object.
    public var parent: ObjectBase? {
        if let elsewhere { return elsewhere.parent }
        guard let session, !isInvalidated else { return nil }
        return session.owner(ofKey: key, in: table)
    }
}

/// The base class of objects that are written here and read elsewhere: readings, logs, events.
///
/// ```swift
/// class Reading: AsymmetricObject {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted var sensor: String
///     @Persisted var celsius: Double
/// }
/// try realm.write { realm.create(Reading.self, value: ["sensor": "roof", "celsius": 21.5]) }
/// ```
/// The application can't query, change or delete them, and nothing links to them. They are stored
/// in order until a consumer, which gets them by `Realm.outbox`, acknowledges them. They may link
/// to embedded objects, which go with them, and to others.
open class AsymmetricObject: ObjectBase {}
