/// Something frozen in a realm, which tasks and threads may pass to each other.
///
/// ```swift
/// let city = Frozen(realm.object(ofType: City.self, forPrimaryKey: 1)!)
/// await Task.detached { print(city.value.name) }.value
/// ```
/// Objects and collections are not `Sendable`, since live ones belong to one thread. A frozen one
/// may be read from any thread, by several at once: this is how the compiler knows.
///
/// Sendable because what is inside is frozen: it is never written, and each thread that reads it
/// has its own caches. This does not hold for properties of a class that are not stored: they are
/// shared memory of the instance, and must not be changed while other threads may read them.
@propertyWrapper
public struct Frozen<Value: ThreadConfined>: @unchecked Sendable {
    /// What is frozen.
    public let value: Value

    /// Freezes something, or takes something frozen.
    ///
    /// Needs the thread of the realm, and that no write transaction is open on it. Stops for
    /// something unmanaged or deleted.
    public init(_ value: Value) { self.value = value.freeze() }

    /// Freezes something, or takes something frozen.
    public init(wrappedValue: Value) { self.init(wrappedValue) }

    /// What is frozen.
    public var wrappedValue: Value { value }

    /// The value with its `Sendable` wrapper.
    public var projectedValue: Frozen { self }

    /// The same, live, of the realm of the calling thread; nil if it was deleted.
    public func thaw() -> Value? { value.thaw() }
}

extension Frozen: Equatable where Value: Equatable {}
extension Frozen: Hashable where Value: Hashable {}
