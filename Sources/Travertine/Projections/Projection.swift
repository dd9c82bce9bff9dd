import TravertineStore

/// A narrowed view of an object type: some of its properties, its links flattened or renamed.
///
/// ```swift
/// class CityView: Projection<City> {
///     @Projected(\City.name) var name
///     @Projected(\City.country?.name) var countryName
/// }
/// let views = realm.objects(CityView.self)
/// ```
/// A projection stores nothing: it reads its object, and setting a property sets the object's.
open class Projection<Root: ObjectBase>: RealmFetchable {
    /// The object that is seen.
    public let rootObject: Root

    /// A view of an object.
    public required init(projecting object: Root) { rootObject = object }

    /// The realm of the object.
    public var realm: Realm? { rootObject.realm }

    /// Whether the object was deleted.
    public var isInvalidated: Bool { rootObject.isInvalidated }

    /// The class and the values of its projected properties.
    open var description: String {
        var lines = ""
        var mirror: Mirror? = Mirror(reflecting: self)
        while let current = mirror {
            for case (let label?, let value as any ProjectedValue) in current.children {
                let text = value.value(of: rootObject).map { "\($0)" } ?? "nil"
                lines += "\t\(label.dropFirst()) = \(text);\n"
            }
            mirror = current.superclassMirror
        }
        return "\(type(of: self))<\(Root.className())> {\n\(lines)}"
    }
}

/// A class of projections, of which a condition names the properties of the objects that are seen.
///
/// Public because `Query` has a public subscript for it. There is one `where` for objects and
/// projections: with a second one the compiler (6.3) needs minutes for a misspelt name in a
/// condition of five terms, and then doesn't say which it is.
public protocol _QueryProjection {
    associatedtype Root: ObjectBase
}

extension Projection: _QueryProjection {}

extension Projection: ThreadConfined {}

extension Projection {
    /// Objects are stored, not views of them.
    public typealias PersistedType = Root
    /// A view of the object.
    public static func _value(ofPersisted stored: Root) -> Self? { Self(projecting: stored) }
    /// The object that is seen.
    public var _persisted: Root { rootObject }
}

extension Projection: Hashable {
    /// Whether both see the same object.
    public static func == (left: Projection, right: Projection) -> Bool {
        left.rootObject.isSameObject(as: right.rootObject)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        guard rootObject.session != nil else { return hasher.combine(ObjectIdentifier(rootObject)) }
        hasher.combine(rootObject.table.stored.number)
        hasher.combine(rootObject.key)
    }
}

extension Projection: CustomStringConvertible {}

/// Makes a property of a projection show what a key path of the object leads to.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    fileprivate let keyPath: KeyPath<Root, Value>

    /// Shows what a key path leads to.
    public init(_ keyPath: KeyPath<Root, Value>) { self.keyPath = keyPath }

    /// Not for use: the property belongs to a class derived from `Projection`.
    @available(
        *, unavailable, message: "@Projected is for properties of classes derived from Projection"
    )
    public var wrappedValue: Value {
        get {
            misuse("@Projected is for properties of classes derived from Projection")
        }
        set {
            misuse("@Projected is for properties of classes derived from Projection")
        }
    }

    /// The value in the object; setting it sets the object's property.
    public static subscript<Enclosing: Projection<Root>>(
        _enclosingInstance projection: Enclosing,
        wrapped wrapped: ReferenceWritableKeyPath<Enclosing, Value>,
        storage wrapper: ReferenceWritableKeyPath<Enclosing, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: wrapper].keyPath] }
        set {
            let keyPath = projection[keyPath: wrapper].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                misuse(
                    "\(type(of: projection)) can't set what \(KeyPathText.text(of: keyPath)) leads to: only properties "
                        + "of the object itself, and of links that can't be nil, can be set.")
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// What describing and observing need of a projected property.
protocol ProjectedValue {
    func value(of object: ObjectBase) -> Any?
    /// The names of the object's properties that the property goes through.
    var tracedNames: [String] { get }
}

extension Projected: ProjectedValue {
    func value(of object: ObjectBase) -> Any? {
        (object as? Root).map { $0[keyPath: keyPath] }
    }

    var tracedNames: [String] {
        KeyPathTracer.names(of: Root.self) { $0[keyPath: keyPath] }
    }
}
