import TravertineStore

/// The objects that link to an object by one of their properties; the realm derives them.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
/// }
/// ```
/// Live, in the order of their object keys; one that links several times is there as often. Objects
/// of classes derived from `Person` that link by the same property are among them, after those of
/// the class itself and in the order of the names of their classes. An unmanaged object has none.
public struct LinkingObjects<Element: ObjectBase> {
    let originProperty: String
    /// The stored object, and how often its realm had been invalidated when it was taken from it.
    private struct Anchor {
        let session: RealmSession
        let table: TableState
        let key: UInt64
        private let invalidationCount: UInt32

        init(_ session: RealmSession, _ object: ObjectBase) {
            self.session = session
            table = object.table
            key = object.key
            invalidationCount = object.invalidationCount
        }

        /// The same in another session.
        init(_ other: Anchor, in session: RealmSession, _ table: TableState) {
            self.session = session
            self.table = table
            key = other.key
            invalidationCount = session.counts.invalidationCount
        }

        var isInvalidated: Bool { session.counts.invalidationCount != invalidationCount }

        /// The same for the calling thread, where it is another than that of a frozen object.
        @inline(__always)
        var here: Anchor { session.isFrozenElsewhere ? shown(in: session.here) ?? self : self }

        /// The same in another session of the store; nil for a type that it does not have.
        @inline(never)
        func shown(in session: RealmSession) -> Anchor? {
            session.table(matching: table).map { Anchor(self, in: session, $0) }
        }
    }

    private var ownAnchor: Anchor?
    /// The class of the objects, where they are shown as dynamic ones.
    private var dynamicOrigin: ObjectBase.Type?
    /// Where a property without wrapper has its anchor: the field itself never changes.
    private let field: Field?

    private final class Field {
        var anchor: Anchor?
    }

    private var anchor: Anchor? { (ownAnchor ?? field?.anchor)?.here }

    /// The same as another realm of the store shows it; nil if the object is not there.
    public func _shown(in realm: Realm) -> LinkingObjects? {
        guard let anchor = (ownAnchor ?? field?.anchor)?.shown(in: realm.session.here) else {
            return nil
        }
        var shown = LinkingObjects(originProperty: originProperty)
        shown.dynamicOrigin = dynamicOrigin
        shown.ownAnchor = anchor
        return shown.isInvalidated ? nil : shown
    }

    /// What the objects are found by; nil for an unmanaged object.
    var backlinks: Backlinks? {
        anchor.map {
            Backlinks(
                session: $0.session, table: $0.table, key: $0.key, originProperty: originProperty,
                origin: dynamicOrigin ?? Element.self)
        }
    }

    /// The objects of a class that link by a property: for a `let` property in a class without
    /// `@Persisted`.
    public init(fromType type: Element.Type, property: String) {
        originProperty = property
        field = Field()
    }

    /// The objects of a class that link to a stored object, as dynamic ones.
    init(
        to object: DynamicObject, from origin: ObjectBase.Type, property: String
    ) where Element == DynamicObject {
        originProperty = property
        field = nil
        dynamicOrigin = origin
        ownAnchor = object.session.map { Anchor($0, object) }
    }

    init(originProperty: String) {
        self.originProperty = originProperty
        field = nil
    }

    /// Whether both are the value of one property without wrapper.
    func isSameField(as other: LinkingObjects) -> Bool { field != nil && field === other.field }

    /// The realm of a managed object's.
    public var realm: Realm? { (ownAnchor ?? field?.anchor).map { Realm($0.session) } }

    /// Whether the object was deleted, or its realm was invalidated.
    public var isInvalidated: Bool {
        guard let anchor else { return false }
        if anchor.isInvalidated { return true }
        return read(true) {
            try anchor.session.access.value(forKey: anchor.key, in: anchor.table.stored.rows) == nil
        }
    }

    private func read<Result>(_ fallback: Result, _ body: () throws -> Result) -> Result {
        anchor?.session.checkThread()
        do {
            return try body()
        } catch {
            anchor?.session.damage = error
            return fallback
        }
    }

    /// The linking objects by table and key, each as often as it links: those of the class first,
    /// then those of derived classes.
    var links: [(table: TableState, key: UInt64)] {
        guard let backlinks, anchor?.isInvalidated == false else { return [] }
        return read([]) { try backlinks.links() }
    }

    private func object(_ link: (table: TableState, key: UInt64)) -> Element? {
        let session = link.table.session
        if dynamicOrigin != nil {
            return session.dynamicObject(link.key, in: link.table) as? Element
        }
        return session.object(link.key, in: link.table) as? Element
    }
}

extension LinkingObjects: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last object.
    public var endIndex: Int { count }

    /// The number of links.
    public var count: Int { links.count }

    /// The object at a position.
    public subscript(position: Int) -> Element {
        let links = links
        requireIndex(position, below: links.count)
        guard let object = object(links[position]) else {
            // Damage was found, and is thrown by the next call that can.
            return Element.newInstance()
        }
        return object
    }

    /// Takes the objects there are, which may be fewer than `count` if there is damage.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(links.compactMap { object($0) })
    }

    /// An iterator over the objects as they are now.
    public func makeIterator() -> IndexingIterator<[Element]> {
        links.compactMap { object($0) }.makeIterator()
    }
}

extension LinkingObjects: CustomStringConvertible {
    /// The objects with their positions.
    public var description: String {
        let lines = enumerated().map { "\t[\($0)] \("\($1)".withLinesIndented)" }
        return "LinkingObjects<\(Element.self)> (\n\(lines.joined(separator: ",\n"))\n)"
    }
}

extension LinkingObjects: _Persistable {
    /// Links to an object of the class that has the property.
    public static var _storedType: _StoredType {
        _StoredType(.linkingObjects, collection: .list, targetClass: Element.self)
    }

    /// None, of no property.
    public static func _defaultValue() -> Self { Self(originProperty: "") }

    /// Always read by `_readCold`.
    @inlinable public static var _isCollection: Bool { true }

    /// Not used: linking objects are read by `_readCold`.
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        preconditionFailure("linking objects are read by _readCold")
    }

    /// The objects that link to a managed object.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        if let tracer = object.tracer { tracer.note(offset, in: object) }
        // The wrapper has what it was declared with: nothing is written.
        var value = unmanagedValue(object._memory + offset)
        if let session = object.session {
            value.ownAnchor = Anchor(session, object)
            if session.tracker != nil {
                for table in session.tables(ofClassesFrom: value.dynamicOrigin ?? Element.self) {
                    session.trackObjects(ofType: table.stored.number)
                }
            }
        }
        return value
    }

    /// Lets a property without wrapper know its object.
    public static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int
    ) {
        assert(MemoryLayout<Self?>.size == MemoryLayout<Self>.size, "the field is the wrapper")
        guard let session = object.session else { return }
        unmanagedValue(storage).field?.anchor = Anchor(session, object)
    }

    /// Stops: the realm itself keeps linking objects.
    public static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        misuse(
            "Linking objects can't be set: set the property `\(value.originProperty)` of the "
                + "objects that link.")
    }

    /// Nothing of them is in a row.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {}

    /// The objects.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        _readCold(object, offset)
    }

    /// They can't be set.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        false
    }

    /// None.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        body(.null)
    }
}

extension LinkingObjects: InverseProperty {
    static func originProperty(_ storage: UnsafeMutableRawPointer) -> String {
        unmanagedValue(storage).originProperty
    }
}

extension Persisted {
    /// The objects of the class that link to this one by the property of this name.
    public init<Element>(originProperty: String) where Value == LinkingObjects<Element> {
        storage = LinkingObjects(originProperty: originProperty)
        attributes = 0
    }
}
