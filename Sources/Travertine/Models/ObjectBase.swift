import CPlatform
import TravertineStore

/// What objects and embedded objects have in common; models derive from `Object` or
/// `EmbeddedObject`.
///
/// ```swift
/// class Country: Object {
///     @Persisted(primaryKey: true) var code: String
///     @Persisted var name: String
/// }
/// ```
/// An object is *unmanaged* when it is made by `init()`: its values are its own and it may be used
/// like any other object. `Realm.add` makes it *managed*: it is now a handle of a stored row, its
/// properties show the newest state that its realm sees, and setting them needs a write
/// transaction.
///
/// A managed object belongs to the thread of its realm. Using one whose row was deleted, or that
/// belongs to another thread, stops with a message that says what to do instead; check
/// `isInvalidated` beforehand.
open class ObjectBase {
    /// 0: unmanaged. 1: managed, or traced, and to be resolved. Otherwise the generation of the
    /// realm at which `_row` was right.
    @exclusivity(unchecked) @usableFromInline final var _stamp: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var _generation: UnsafePointer<Generation>?
    @exclusivity(unchecked) @usableFromInline final var _row: UnsafeRawPointer?
    @exclusivity(unchecked) @usableFromInline final var _fieldOffsets: UnsafePointer<_FieldOffset>?
    @exclusivity(unchecked) @usableFromInline final var _rowByteCount = 0
    /// The generation at which `_row` was right, also for a layout that lacks properties; its
    /// complement while `_rowByteCount` is the place of a row that was not read
    /// (`RealmSession.locate`).
    @exclusivity(unchecked) final var rowGeneration: UInt64 = 0
    /// The object's key in its table.
    @exclusivity(unchecked) final var key: UInt64 = 0
    @exclusivity(unchecked) final var session: RealmSession?
    @exclusivity(unchecked) final var tableReference: Unmanaged<TableState>?
    /// Whether `_row` is the transaction's own copy, to be changed in place.
    @exclusivity(unchecked) final var isStaged = false
    /// How often the realm had been invalidated when the handle was made.
    @exclusivity(unchecked) final var invalidationCount: UInt32 = 0
    @exclusivity(unchecked) @usableFromInline final var tracer: KeyPathTracer?

    /// An unmanaged object whose properties have their initial values.
    public init() {}

    /// The class's own `init()`, for a class that is known at run time only. A class that is said
    /// not to provide this lacks `override init()`, which it does not inherit if it declares other
    /// initializers.
    public required convenience init(_byOverrideInit: Void) { self.init() }

    /// An unmanaged object of a class that is known at run time only.
    @inline(__always)
    @usableFromInline static func newInstance() -> Self { Self(_byOverrideInit: ()) }

    /// What an unmanaged object leads to is released by itself once a long chain has used half of
    /// the stack. A class's own values are destroyed after this.
    deinit {
        if _stamp == 0, travertine_releases_wait() != 0 { PendingReleases.takeValues(of: self) }
    }

    // MARK: What a class may declare

    /// The name of the class in the schema and in messages.
    public class func className() -> String { String(describing: self) }

    /// The name that the type is stored under; the name of the class unless a class says otherwise.
    open class func objectTypeName() -> String { _realmObjectName() ?? className() }

    /// Another spelling of `objectTypeName`; nil is the name of the class.
    open class func _realmObjectName() -> String? { nil }

    /// The name of the primary key's property, for classes that don't say it with `@Persisted`.
    open class func primaryKey() -> String? { nil }

    /// Properties that are not persisted although they are declared `@Persisted`.
    open class func ignoredProperties() -> [String] { [] }

    /// Properties with an index, beside those declared with `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// Indexes over several properties, and unique ones; a base class may declare them for its
    /// subclasses.
    open class func indexes() -> [ObjectIndex] { [] }

    /// Stored names by public name, for properties whose stored name differs.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// How stored names are made of those that `propertiesMapping` doesn't name.
    open class func namingPolicy() -> NamingPolicy { NamingPolicy.ofModule(of: self) }

    /// Whether the class belongs to realms that don't list their object types.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    // MARK: State

    /// The realm that the object is in; nil if it is unmanaged.
    public var realm: Realm? { session.map { Realm($0) } }

    /// The schema of the object's type.
    public var objectSchema: ObjectSchema {
        if session != nil { return table.schema }
        return ObjectSchema(ClassInfo.of(Swift.type(of: self)))
    }

    /// Whether the object was deleted, or its realm was invalidated since it was taken from it;
    /// false for an unmanaged one.
    open var isInvalidated: Bool {
        guard let session, !session.isFrozen else { return false }
        session.checkThread()
        let isThere = session.resolve(self)
        session.trackExistence(self)
        return !isThere
    }

    /// Whether both are handles of the same stored object; of frozen ones, of the same version.
    public func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        guard let session, let otherSession = other.session else { return false }
        return session.shared === otherSession.shared && key == other.key
            && (session.isFrozen || otherSession.isFrozen
                ? session.isSame(as: otherSession) : true)
            && table.stored.number == other.table.stored.number
    }

    /// A property's value by its public or stored name; nil for null. A stored value that the
    /// property's type has no value for is there as it is stored, and an embedded object that a
    /// value of a custom type is made of as an object.
    ///
    /// Setting takes the property's type or one that converts to it: integers must fit,
    /// floating-point numbers are rounded to the property's precision. A managed object keeps a
    /// value of another type as the failure of the transaction; an unmanaged one stops.
    open subscript(name: String) -> Any? {
        get {
            if let elsewhere { return elsewhere[name] }
            if let inverse = info.inverses.first(where: { $0.name == name }) {
                return inverse.valueType._any(self, inverse.offset)
            }
            if info.slot(named: name) == nil, let session, let slot = table.hiddenSlot(named: name)
            {
                return session.value(of: self, slot: slot)
            }
            let property = info.properties[requiredSlot(name)]
            return property.valueType._shown(self, property.offset)
        }
        set { setDynamic(newValue, forKey: name) }
    }

    /// The class and its properties with their values, those of linked objects in turn.
    ///
    /// A class may have another one; where objects are in descriptions of others, they are written
    /// out all the same.
    open var description: String { description(depth: 0) }

    /// The class and its properties with their values.
    func describe(depth: Int) -> String {
        Self.text(
            info.className,
            info.properties.map { property in
                let type = property.valueType
                let value =
                    property.isStoredAsEmbedded
                    ? type._shown(self, property.offset) : type._any(self, property.offset)
                return (property.name, value)
            }, depth: depth)
    }
}

extension ObjectBase {
    /// The object's memory: where its wrappers are.
    @inlinable @inline(__always)
    final var _memory: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    final var info: ClassInfo { session == nil ? ClassInfo.of(type(of: self)) : table.info }

    /// The table of a managed object; lives as long as the realm's session.
    @inline(__always)
    final var table: TableState {
        guard let tableReference else {
            misuse("the object is unmanaged: add it to a realm first")
        }
        return tableReference._withUnsafeGuaranteedRef { $0 }
    }

    /// Makes the object a handle of a row, to be looked up when it is first used.
    @inline(__always)
    final func bind(to session: RealmSession, _ table: TableState, key: UInt64) {
        self.session = session
        tableReference = Unmanaged.passUnretained(table)
        self.key = key
        invalidationCount = session.counts.invalidationCount
        _generation = UnsafePointer(session.generation)
        _stamp = Generation.unresolvedStamp
        if table.isEncodable { setManaged(true) }
    }

    /// As above, with the row that was found.
    @inline(__always)
    final func bind(
        to session: RealmSession, _ table: TableState, key: UInt64, row: UnsafeRawBufferPointer
    ) {
        bind(to: session, table, key: key)
        if table.hasUnwrappedProperties { bindUnwrappedProperties() }
        _ = session.point(self, to: row, table)
    }

    /// Notes which property of a traced object is read through its wrapper.
    @usableFromInline @inline(never)
    final func _note(_ property: () -> AnyKeyPath) { tracer?.note(property()) }

    /// A property's value where the fast path has none.
    final func _source(at offset: Int) -> PropertySource {
        if let tracer {
            tracer.note(offset, in: self)
            return .nothing
        }
        // The handle keeps the realm's session, which keeps its tables.
        guard session != nil, let tableReference else { return .unmanaged }
        return tableReference._withUnsafeGuaranteedRef { $0.coreReference }
            ._withUnsafeGuaranteedRef { $0.source(self, offset: offset) }
    }

    /// The stored value at a place of the current row.
    @usableFromInline
    final func _rawValue(at fieldOffset: _FieldOffset, _ type: PropertyType) -> _RawValue {
        guard let row = _row else { return .null }
        return fieldOffset.value(in: row, byteCount: _rowByteCount, shape: type.shape)
    }

    /// Sets a managed property.
    final func _set(_ raw: _RawValue, at offset: Int) {
        guard session != nil, let tableReference else { return }
        // The handle keeps the realm's session, which keeps its tables.
        tableReference._withUnsafeGuaranteedRef { $0.coreReference }
            ._withUnsafeGuaranteedRef { $0.set(self, offset: offset, to: raw) }
    }

    /// Sets a property, managed or not.
    final func _setValue<Value: _Persistable>(_ value: Value, at offset: Int) {
        if session == nil, !Value._isCollection {
            (_memory + offset).assumingMemoryBound(to: Persisted<Value>.self).pointee.storage =
                value
        } else {
            Value._assign(value, to: self, at: offset)
        }
    }
}

/// Where the value of a property comes from when it is not read by the fast path.
enum PropertySource {
    /// The object's own memory.
    case unmanaged
    /// The row, or the stored default.
    case value(_RawValue)
    /// There is none: a traced object, or a realm with damage.
    case nothing
}

extension ObjectBase: Hashable {
    /// Whether both are the same object of a type with primary key or the same frozen object, or
    /// else the same instance.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool {
        if left === right { return true }
        guard left.isComparedByKey else { return false }
        return left.isSameObject(as: right)
    }

    private var isComparedByKey: Bool {
        guard let session else { return false }
        return session.isFrozen || table.stored.primaryKey != nil
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if isComparedByKey {
            hasher.combine(table.stored.number)
            hasher.combine(key)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}
