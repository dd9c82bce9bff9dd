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
    /// The object that it belongs to; nil if it is unmanaged or was deleted.
    public var parent: ObjectBase? {
        guard let core, !isInvalidated else { return nil }
        return core.owner(ofKey: key, in: table)
    }
}
