import TravertineStore

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
    /// By every three characters in it, folded: `.fullText(.trigrams)`; for strings.
    case fullTextOfTrigrams = 3
    /// By the letters and digits in it, folded: `.fullText(.codePoints)`; for strings.
    case fullTextOfCodePoints = 4

    /// By what a tokenizer finds in it; for strings.
    public static func fullText(_ tokenizer: FullTextTokenizer) -> IndexKind {
        switch tokenizer {
        case .words: .fullText
        case .trigrams: .fullTextOfTrigrams
        case .codePoints: .fullTextOfCodePoints
        }
    }

    /// As `Persisted.attributes` has it: bit 5 for full text, with the tokenizer in bits 2 and 3,
    /// where links have their delete rule.
    @usableFromInline var attributes: UInt8 {
        switch self {
        case .none: 0
        case .general: 2
        case .fullText: 32
        case .fullTextOfTrigrams: 32 | 1 << 2
        case .fullTextOfCodePoints: 32 | 2 << 2
        }
    }
}

extension Persisted where Value: _Indexable {
    /// A property with an index of a kind, kept in step with every change.
    @inlinable
    public init(indexed: IndexKind) {
        storage = nil
        attributes = indexed.attributes
    }

    /// A property with an index of a kind and an initial value.
    @inlinable
    public init(wrappedValue: Value, indexed: IndexKind) {
        storage = wrappedValue
        attributes = indexed.attributes
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
    /// The class is ``CanonicalGeoPoint``, or one of the same stored properties; opening a realm
    /// with another one throws.
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
        /// The cells of the points that its one property links to.
        case places = 3
        /// The words of its one property, an entry for each object: written by earlier versions.
        /// It is kept up to date, and replaced when its class is opened for writing.
        case oldWords = 2
        /// The words of its one property, with their numbers: written by earlier versions. Such an
        /// index and one of `countedCodePoints` are searched and kept up to date, and replaced when
        /// the class is opened for writing.
        case countedWords = 10
        /// Every three characters of its one property that follow one another.
        case trigrams = 11
        /// The letters and digits of its one property, with their numbers.
        case countedCodePoints = 12
        /// The words of its one property, with their positions.
        case words = 13
        /// The letters and digits of its one property, with their positions.
        case codePoints = 14

        init(_ tokenizer: FullTextTokenizer) {
            self =
                switch tokenizer {
                case .words: .words
                case .trigrams: .trigrams
                case .codePoints: .codePoints
                }
        }

        /// What a full-text index enters of a text; nil for other indexes, and for those of
        /// earlier versions.
        var tokenizer: FullTextTokenizer? {
            switch self {
            case .values, .uniqueValues, .oldWords, .places: nil
            case .countedWords, .words: .words
            case .trigrams: .trigrams
            case .countedCodePoints, .codePoints: .codePoints
            }
        }

        /// Whether its entries have the positions of what is found in texts.
        var hasPositions: Bool { self == .words || self == .codePoints }

        /// Whether its entries are what is found in the text of its one property.
        var isOfTexts: Bool { self == .oldWords || tokenizer != nil }

        /// Whether its entries are values of its properties, in their order.
        var isOfValues: Bool { self == .values || self == .uniqueValues }
    }

    var kind: Kind
    /// The keyspace of its entries.
    var keyspace: KeyspaceID
    /// The numbers of its properties.
    var properties: [UInt32]
}

extension StoredIndex {
    func write(to writer: inout ByteWriter) {
        writer.append(kind.rawValue)
        writer.append(UInt8(properties.count))
        writer.append(keyspace)
        for property in properties { writer.append(property) }
    }

    init(_ reader: inout ByteReader) throws(SchemaDamage) {
        guard let kind = Kind(rawValue: try reader.take(UInt8.self)) else { throw SchemaDamage() }
        self.kind = kind
        let count = try reader.take(UInt8.self)
        guard count > 0, count <= ObjectIndex.propertyCountMax else { throw SchemaDamage() }
        keyspace = try reader.takeKeyspace()
        properties = []
        for _ in 0..<count { properties.append(try reader.take(UInt32.self)) }
    }
}
