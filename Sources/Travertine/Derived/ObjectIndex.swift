/// An index over one or several properties, declared by a class.
///
/// ```swift
/// class Person: Object {
///     @Persisted var last: String
///     @Persisted var first: String
///     @Persisted var email: String?
///
///     override class func indexes() -> [ObjectIndex] {
///         [ObjectIndex("last", "first"), ObjectIndex("email", isUnique: true)]
///     }
/// }
/// ```
/// Indexes come and go without a higher schema version. Queries with equalities for the first
/// properties of one, and perhaps a range of the next, find their objects by it if these are few;
/// `explain()` on the results shows it.
public struct ObjectIndex: Sendable, Hashable {
    /// The properties by their public or stored names, the most significant one first.
    public var properties: [String]
    /// Whether no two objects may have the same values; objects with a nil among them may.
    ///
    /// Objects may be alike within a transaction, so that two can swap their values; one that
    /// leaves them so fails with `.uniqueViolation` when it is committed. `Realm.insert(_:)` and
    /// `set(_:for:)` throw it at once.
    public var isUnique: Bool

    /// The most properties that one index has.
    public static let propertyCountMax = 8

    /// An index over properties in this order.
    public init(_ properties: String..., isUnique: Bool = false) {
        self.properties = properties
        self.isUnique = isUnique
    }

    /// An index over properties in this order.
    public init(properties: [String], isUnique: Bool = false) {
        self.properties = properties
        self.isUnique = isUnique
    }
}

/// How a property is indexed.
public enum IndexKind: UInt8, Sendable, CaseIterable {
    /// Not at all.
    case none = 0
    /// By its value.
    case general = 1
    /// By the words in it, case and marks folded; for strings.
    case fullText = 2
}

extension Persisted where Value: _Indexable {
    /// A property with an index of a kind, kept in step with every change.
    @inlinable
    public init(indexed: IndexKind) {
        storage = nil
        attributes = indexed == .general ? 2 : indexed == .fullText ? 32 : 0
    }

    /// A property with an index of a kind and an initial value.
    @inlinable
    public init(wrappedValue: Value, indexed: IndexKind) {
        storage = wrappedValue
        attributes = indexed == .general ? 2 : indexed == .fullText ? 32 : 0
    }
}

/// How a link to a point is indexed.
public enum GeoIndexKind: UInt8, Sendable, CaseIterable {
    /// Not at all.
    case none = 0
    /// By the place of the point, for `geoWithin` and `nearest(to:by:limit:within:)`.
    case geo = 1
}

extension Persisted where Value: _QueryLink & _QueryOptional, Value._Target: EmbeddedObject {
    /// A link to an embedded point, with an index of its place that is kept in step with every
    /// change of the link and of the point.
    ///
    /// The class is ``CanonicalGeoPoint``, or one of the same stored properties; opening a realm with
    /// another one throws.
    @inlinable
    public init(indexed: GeoIndexKind) {
        storage = nil
        attributes = indexed == .geo ? 32 : 0
    }

    /// A link to an embedded point, with an index of its place and an initial value.
    @inlinable
    public init(wrappedValue: Value, indexed: GeoIndexKind) {
        storage = wrappedValue
        attributes = indexed == .geo ? 32 : 0
    }
}

/// An index of a type beside those of single properties.
struct StoredIndex: Equatable {
    /// What its entries are.
    enum Kind: UInt8 {
        /// The values of its properties.
        case values = 0
        /// The values of its properties, which no two objects share.
        case uniqueValues = 1
        /// The words of its one property.
        case words = 2
        /// The cells of the points that its one property links to.
        case places = 3
    }

    var kind: Kind
    /// The keyspace of its entries.
    var keyspace: UInt32
    /// The numbers of its properties.
    var properties: [UInt32]
}

extension StoredIndex {
    func write(to writer: inout ByteWriter) {
        writer.put(kind.rawValue)
        writer.put(UInt8(properties.count))
        writer.put(keyspace)
        for property in properties { writer.put(property) }
    }

    init(_ reader: inout ByteReader) throws(SchemaDamage) {
        guard let kind = Kind(rawValue: try reader.take(UInt8.self)) else { throw SchemaDamage() }
        self.kind = kind
        let count = try reader.take(UInt8.self)
        guard count > 0, count <= ObjectIndex.propertyCountMax else { throw SchemaDamage() }
        keyspace = try reader.take(UInt32.self)
        properties = []
        for _ in 0..<count { properties.append(try reader.take(UInt32.self)) }
    }
}
