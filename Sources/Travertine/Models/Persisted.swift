import TravertineStore

/// Makes a property of an `Object` persistent.
///
/// ```swift
/// class City: Object {
///     @Persisted(primaryKey: true) var id: Int
///     @Persisted(indexed: true) var name: String
///     @Persisted var population = 0
///     @Persisted var country: Country?
///     @Persisted var alternateNames: List<String>
/// }
/// ```
/// A property without initial value has its type's zero, made when it is first read; `ObjectId` and
/// `UUID` make a new identifier. Once the object is in a realm, reading reads the object's row
/// and costs about a nanosecond for numbers; setting needs a write transaction.
@propertyWrapper @frozen
public struct Persisted<Value: _Persistable> {
    /// The unmanaged value; nil before it is set or first read.
    @usableFromInline var storage: Value?
    /// Bit 0: primary key. Bit 1: indexed. Bits 2 and 3: the delete rule. Bit 4: required. Bit 5: a
    /// string is indexed by what the tokenizer in bits 2 and 3 finds, a link by places. Bit 7: the
    /// object is managed, of a class that can be encoded; then bits 0 to 6 are part of its place
    /// (`PropertyLocator`).
    @usableFromInline var attributes: UInt8
    // These fill the padding that the attributes leave after a value of eight bytes.
    @usableFromInline var locatorHigh: UInt16 = 0
    @usableFromInline var locatorLow: UInt32 = 0

    /// A property with its type's zero.
    @inlinable
    public init() {
        storage = nil
        attributes = 0
    }

    /// A property with an initial value.
    @inlinable
    public init(wrappedValue: Value) {
        storage = wrappedValue
        attributes = 0
    }

    /// Not for use: the property belongs to a class derived from `Object`.
    @available(
        *, unavailable, message: "@Persisted is for properties of classes derived from Object"
    )
    public var wrappedValue: Value {
        get { misuse("@Persisted is for properties of classes derived from Object") }
        set { misuse("@Persisted is for properties of classes derived from Object") }
    }

    /// The property's value: in the object if it is unmanaged, in its row if it is managed.
    @inlinable
    public static subscript<Enclosing: ObjectBase>(
        _enclosingInstance object: Enclosing,
        wrapped wrapped: ReferenceWritableKeyPath<Enclosing, Value>,
        storage wrapper: ReferenceWritableKeyPath<Enclosing, Self>
    ) -> Value {
        @inline(__always) get {
            if object._stamp != 0 {
                if Value._isCollection {
                    // The closure has no context once it is optimised: no key path is made here.
                    if _slowPath(object.tracer != nil) { object._note { wrapped } }
                    return Value._readCold(object, _offset(of: wrapper, in: object))
                }
                if object._generation.unsafelyUnwrapped.pointee.isCurrent(
                    object._stamp, isPlain: Value._isPlain)
                {
                    let offset = _offset(of: wrapper, in: object)
                    return Value._read(object, object._fieldOffsets.unsafelyUnwrapped[offset &>> 1])
                }
            } else if let value = object[keyPath: wrapper].storage {
                return value
            }
            // With one place that reads a row and one call, the getter is inlined into loops; with
            // more it would be called.
            return object._readCold(_offset(of: wrapper, in: object)) { wrapped }
        }
        @inline(__always) set {
            if object._stamp == 0 && !Value._isCollection {
                object[keyPath: wrapper].storage = newValue
            } else {
                Value._assign(newValue, to: object, at: _offset(of: wrapper, in: object))
            }
        }
    }

    /// The byte offset of a wrapper in its object: a constant after inlining.
    @inlinable @inline(__always)
    static func _offset<Enclosing: ObjectBase>(
        of wrapper: ReferenceWritableKeyPath<Enclosing, Self>, in object: Enclosing
    ) -> Int {
        withUnsafeMutablePointer(to: &object[keyPath: wrapper]) { address in
            UnsafeRawPointer(address) - UnsafeRawPointer(object._memory)
        }
    }
}

extension ObjectBase {
    /// A property's value where its wrapper has none at hand; notes which it is of a traced object.
    @usableFromInline @inline(never)
    final func _readCold<Value: _Persistable>(
        _ offset: Int, _ property: () -> AnyKeyPath
    ) -> Value {
        if let tracer { tracer.note(property()) }
        return Value._readCold(self, offset)
    }
}

extension Persisted where Value: _PrimaryKey {
    /// A property that identifies the object within its type.
    @inlinable
    public init(primaryKey: Bool) {
        storage = nil
        attributes = primaryKey ? 1 : 0
    }

    /// A property that identifies the object within its type, with an initial value.
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool) {
        storage = wrappedValue
        attributes = primaryKey ? 1 : 0
    }
}

extension Persisted where Value: _Indexable {
    /// A property with an index, kept in step with every change.
    @inlinable
    public init(indexed: Bool) {
        storage = nil
        attributes = indexed ? 2 : 0
    }

    /// A property with an index and an initial value.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool) {
        storage = wrappedValue
        attributes = indexed ? 2 : 0
    }
}
