import Locks
import TravertineStore

/// What a class of objects declares, read once from its metadata and one fresh instance.
final class ClassInfo: Sendable {
    /// A declared property.
    struct Property: Sendable {
        var name: String
        var storedName: String
        /// The byte offset of its wrapper in instances.
        var offset: Int
        var valueType: any _Persistable.Type
        var wrapper: any PersistedWrapper.Type
        var type: _StoredType
        /// What the wrapper was declared with, as it has it.
        var attributes: UInt8 = 0
        var isPrimaryKey: Bool
        var isIndexed: Bool
        /// Whether the words in it are indexed.
        var isFullText: Bool
        /// Whether the point that it links to is indexed.
        var isGeo = false
        /// What is indexed of it then.
        var tokenizer = FullTextTokenizer.words
        var deleteRule: DeleteRule
        /// Whether it is a link that must lead to an object at commit.
        var isRequired: Bool
        /// What objects have that are older than the property.
        var defaultValue: RawConstant
        /// Whether it is a date without initial value, which new objects have from the generation.
        var startsAsNow = false
        /// The stored name of a link's target, for a property without a wrapper.
        var declaredTarget: String?
        /// Whether a default was declared that the property can't have.
        var hasUnfitDefault = false
        /// Whether it is declared without `@Persisted`.
        var isUnwrapped = false
        /// The stored values that its type, or that of its elements, can hold; nil for a property
        /// without a wrapper.
        var valueDomain: ValueDomain?
    }

    /// A property's wrapper as adding an object uses it: nothing of it counts references.
    struct Wrapper: Sendable {
        var offset: Int
        var valueType: any _Persistable.Type
        /// How a fresh object's value can be encoded without a call through the type.
        var encoding: DirectEncoding
    }

    /// A declared property with the objects that link to an object.
    struct Inverse: Sendable {
        var name: String
        var offset: Int
        var originProperty: String
        var valueType: any _Persistable.Type
        var isUnwrapped = false
    }

    /// A property or linking objects declared without `@Persisted`.
    struct Unwrapped: Sendable {
        var name: String
        var offset: Int
        var type: any UnwrappedProperty.Type
        /// Whether it is declared with `var`, which nothing can be made of.
        var isVariable: Bool
    }

    let type: ObjectBase.Type
    let className: String
    let storedName: String
    let properties: [Property]
    /// Declared linking objects, which nothing is stored of.
    let inverses: [Inverse]
    /// What is declared without `@Persisted` and persisted nevertheless.
    let unwrappedProperties: [Unwrapped]
    /// Whether it, or a class that it is derived from, was built without reflection metadata, so
    /// that there may be properties that are not found.
    let hasHiddenFields: Bool
    /// Whether instances have nothing but persisted properties, so that one handle is like another.
    let isHandleOnly: Bool
    /// Whether a property with a wrapper is ignored: objects keep it in their own memory, and their
    /// rows can't be read without asking which properties they have.
    let ignoresWrapper: Bool
    /// A sentence for each name that the class says something of and that no property has.
    let nameProblems: [String]
    /// Indexes that the class declares beside those of single properties.
    let indexes: [ObjectIndex]
    let isEmbedded: Bool
    let isAsymmetric: Bool
    /// Whether instances can be encoded, by what their wrappers hold.
    let isEncodable: Bool
    /// The slot of a wrapper, by half its byte offset; -1 elsewhere.
    let slotByOffset: [Int16]
    let primaryKeySlot: Int?
    /// Slots of links and collections: what must be bound when an object becomes managed.
    let referenceSlots: [Int]
    /// What adding an object needs of each slot, in values without references to count.
    let wrappers: [Wrapper]
    /// Slots whose stored form is made before the row: collections and values of any type.
    let pieceSlots: [Int]
    /// Slots whose values are stored as embedded objects that are made of them.
    let embeddedFormSlots: [Int]

    private static let infos = Locked<[ObjectIdentifier: ClassInfo]>([:])

    /// The description of a class; made when first needed.
    static func of(_ type: ObjectBase.Type) -> ClassInfo {
        if let info = infos.withLock({ $0[ObjectIdentifier(type)] }) { return info }
        let info = ClassInfo(type)
        return infos.withLock { infos in
            if let other = infos[ObjectIdentifier(type)] { return other }
            infos[ObjectIdentifier(type)] = info
            return info
        }
    }

    private init(_ type: ObjectBase.Type) {
        self.type = type
        className = type.className()
        storedName = type.objectTypeName()
        let found = Self.discover(type)
        let properties = found.properties
        self.properties = properties
        inverses = found.inverses
        unwrappedProperties = found.unwrapped
        hasHiddenFields = found.hasHiddenFields
        ignoresWrapper = found.ignoresWrapper
        let offsets = Set(properties.map(\.offset) + found.inverses.map(\.offset))
        isHandleOnly =
            !found.hasHiddenFields && found.unwrapped.isEmpty
            && !properties.contains(where: \.isUnwrapped)
            && offsets.count == found.fieldCount
        nameProblems = found.hasHiddenFields ? [] : found.nameProblems
        indexes = type.indexes()
        isEmbedded = type is EmbeddedObject.Type
        isAsymmetric = type is AsymmetricObject.Type
        isEncodable = type is any Encodable.Type
        var slots = [Int16](repeating: -1, count: (properties.map(\.offset).max() ?? 0) / 2 + 1)
        for (slot, property) in properties.enumerated() {
            slots[property.offset / 2] = Int16(slot)
        }
        slotByOffset = slots
        primaryKeySlot = properties.firstIndex { $0.isPrimaryKey }
        referenceSlots = properties.indices.filter {
            properties[$0].type.mayLink || properties[$0].type.collection != .none
        }
        wrappers = properties.map {
            Wrapper(
                offset: $0.offset, valueType: $0.valueType, encoding: DirectEncoding($0.valueType))
        }
        pieceSlots = referenceSlots.filter {
            properties[$0].type.collection != .none || properties[$0].type.type == .any
        }
        embeddedFormSlots = referenceSlots.filter { properties[$0].isStoredAsEmbedded }
    }

    /// A type without a class, for comparing and storing it.
    init(_ schema: ObjectSchema) {
        type = DynamicObject.self
        className = schema.className
        storedName = schema.objectTypeName
        properties = schema.properties.map { Property($0) }
        inverses = []
        unwrappedProperties = []
        hasHiddenFields = false
        ignoresWrapper = false
        isHandleOnly = false
        nameProblems = []
        indexes = []
        isEmbedded = schema.isEmbedded
        isAsymmetric = schema.isAsymmetric
        isEncodable = false
        slotByOffset = []
        primaryKeySlot = properties.firstIndex { $0.isPrimaryKey }
        referenceSlots = []
        wrappers = []
        pieceSlots = []
        embeddedFormSlots = []
    }

    /// A class with properties that it does not declare, for comparing and storing it.
    init(_ info: ClassInfo, adding additions: [Travertine.Property]) {
        type = info.type
        className = info.className
        storedName = info.storedName
        properties = info.properties + additions.map { Property($0) }
        inverses = info.inverses
        unwrappedProperties = info.unwrappedProperties
        hasHiddenFields = info.hasHiddenFields
        ignoresWrapper = info.ignoresWrapper
        isHandleOnly = info.isHandleOnly
        nameProblems = info.nameProblems
        indexes = info.indexes
        isEmbedded = info.isEmbedded
        isAsymmetric = info.isAsymmetric
        isEncodable = info.isEncodable
        slotByOffset = info.slotByOffset
        primaryKeySlot = info.primaryKeySlot
        referenceSlots = info.referenceSlots
        wrappers = info.wrappers
        pieceSlots = info.pieceSlots
        embeddedFormSlots = info.embeddedFormSlots
    }

    /// The indexes beside those of single properties, by the slots of their properties; those that
    /// name a property that there is not are left out.
    var indexedSlots: [(kind: StoredIndex.Kind, slots: [Int])] {
        let words = properties.indices.filter { properties[$0].isFullText }
        let places = properties.indices.filter { properties[$0].isGeo }
        return indexes.compactMap { index in
            let slots = index.properties.compactMap { slot(named: $0) }
            guard slots.count == index.properties.count, !slots.isEmpty else { return nil }
            return (index.isUnique ? .uniqueValues : .values, slots)
        } + words.map { (StoredIndex.Kind(properties[$0].tokenizer), [$0]) }
            + places.map { (.places, [$0]) }
    }

    /// The slot of the wrapper at a byte offset; nil if the class ignores the property.
    @inline(__always)
    func slot(atOffset offset: Int) -> Int? {
        guard offset / 2 < slotByOffset.count, slotByOffset[offset / 2] >= 0 else { return nil }
        return Int(slotByOffset[offset / 2])
    }

    /// As above; stops for a property that the class ignores.
    @inline(__always)
    func requiredSlot(atOffset offset: Int) -> Int {
        guard let slot = slot(atOffset: offset) else {
            misuse(
                "A property of \(className) that `ignoredProperties()` names was set in an object "
                    + "that is in a realm: declare the property without @Persisted.")
        }
        return slot
    }

    /// The slot of a property by its public or its stored name, the public one first.
    func slot(named name: String) -> Int? {
        properties.firstIndex { $0.name == name } ?? properties.firstIndex { $0.storedName == name }
    }

    /// Values by the names of properties: those of a dictionary, or those of an array for the first
    /// properties in declared order; nil for anything else, and for an array with more values.
    func valuesByName(_ value: Any) -> [String: Any]? {
        if let values = value as? [String: Any] { return values }
        guard let values = value as? [Any], values.count <= properties.count else { return nil }
        return Dictionary(zip(properties.map(\.name), values)) { first, _ in first }
    }
}
