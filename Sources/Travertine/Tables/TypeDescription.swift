import Locks
import TravertineStore

/// One version of a stored type's record, as one class sees it: properties by slot, what is derived
/// from rows, and layouts. Immutable, and shared between threads.
///
/// A slot is a property's position in its class; stored properties that the class leaves out come
/// after those that it declares. Slots belong to a class: what goes from one realm to another names
/// properties by their numbers.
final class TypeDescription: @unchecked Sendable {
    /// The type as the store knows it.
    let stored: StoredObjectType
    /// The stored type's record as the schema keyspace has it.
    let record: [UInt8]
    /// The class; nil for a stored type whose class the realm doesn't have.
    let classInfo: ClassInfo?
    let slots: [TableSlot]
    /// The stored property of each slot.
    let properties: [StoredProperty]
    /// How many slots the class declares.
    let visibleCount: Int
    /// What changing a property of a slot must look at.
    let traits: [SlotTraits]
    /// Slots of collections and of values of any type, which have their own records.
    let ownedSlots: [Int]
    /// Slots of links with another delete rule than that targets stay.
    let ruledSlots: [Int]
    /// Slots of required links that the class declares.
    let requiredSlots: [Int]
    /// Slots of required links that the class leaves out.
    let hiddenRequiredSlots: [Int]
    /// What is derived from the rows.
    let rules: DerivedRules
    /// Whether objects have their primary keys, integers that are never nil, as keys.
    let hasIntegerKeys: Bool
    /// Whether the class can be encoded.
    let isEncodable: Bool
    /// Whether the class has persisted properties without wrapper.
    let hasUnwrappedProperties: Bool
    /// The numbers that properties of the class have, by slot; nil for what is no integer, and for
    /// slots that the class does not declare.
    let integerRanges: [ClosedRange<Int64>?]
    /// Stored defaults by slot.
    private let defaults: StoredDefaults
    /// The layouts that were found in rows so far, each made once.
    private let layouts = Locked<[UInt16: LayoutBinding]>([:])

    init(_ stored: StoredObjectType, _ record: [UInt8]? = nil, classInfo: ClassInfo?) {
        self.stored = stored
        self.record = record ?? stored.encoded
        self.classInfo = classInfo
        var properties = stored.properties
        if let classInfo {
            let declared = classInfo.properties.compactMap { declared in
                stored.properties.first { $0.name == declared.storedName }
            }
            require(
                declared.count == classInfo.properties.count,
                "the stored \(stored.name) lacks declared properties; it was opened by other means")
            let numbers = Set(declared.map(\.number))
            visibleCount = declared.count
            properties = declared + stored.properties.filter { !numbers.contains($0.number) }
            slots =
                zip(declared, classInfo.properties).map { TableSlot($0, $1) }
                + properties[declared.count...].map { TableSlot($0) }
        } else {
            slots = properties.map { TableSlot($0) }
            visibleCount = properties.count
        }
        let rules = DerivedRules(stored, properties)
        traits = properties.indices.map { slot in
            let property = properties[slot]
            return SlotTraits(
                isPrimaryKey: property.isPrimaryKey,
                isMixed: property.type == .any && property.collection == .none,
                isOwning: property.isOwning, isFollowed: rules.isFollowed[slot])
        }
        self.rules = rules
        self.properties = properties
        ownedSlots = properties.indices.filter {
            properties[$0].collection != .none || properties[$0].type == .any
        }
        ruledSlots = properties.indices.filter { properties[$0].deleteRule != .nullify }
        let required = properties.indices.filter { properties[$0].isRequired }
        let visibleCount = visibleCount
        requiredSlots = required.filter { $0 < visibleCount }
        hiddenRequiredSlots = required.filter { $0 >= visibleCount }
        defaults = StoredDefaults(properties)
        hasIntegerKeys =
            stored.keyKind == .integerPrimaryKey
            && properties.contains { $0.isPrimaryKey && $0.type == .int }
        integerRanges =
            (classInfo?.properties ?? []).map(\.integerRange)
            + Array(repeating: nil, count: properties.count - (classInfo?.properties.count ?? 0))
        isEncodable = classInfo?.isEncodable ?? false
        hasUnwrappedProperties = classInfo.map { !$0.unwrappedProperties.isEmpty } ?? false
    }

    // MARK: Properties

    func slot(ofProperty number: UInt32) -> Int? { slots.firstIndex { $0.property == number } }

    /// What rows older than a property have.
    @inline(__always)
    func defaultValue(at slot: Int) -> _RawValue { defaults[slot] }

    /// The value that a slot has by what its row says; nil for a row without the property.
    @inline(__always)
    func value(at slot: Int, stored: _RawValue?) -> _RawValue {
        if let stored {
            guard case .null = stored else { return stored }
            if slots[slot].type.isOptional { return .null }
        }
        return defaults[slot]
    }

    // MARK: Layouts

    /// The layout with a number, which `load` reads if it was not found before; nil if there is
    /// none.
    ///
    /// A number that the record has not given out yet is refused: a transaction that is rolled back
    /// may leave it to another layout.
    func binding(
        _ number: UInt16, _ load: () throws -> Layout?
    ) rethrows -> LayoutBinding? {
        if let known = layouts.withLock({ $0[number] }) { return known }
        guard number < stored.nextLayout, let layout = try load() else { return nil }
        let binding = LayoutBinding(
            layout, slots: slots, isAsked: classInfo?.ignoresWrapper ?? false)
        return layouts.withLock { layouts in
            if let other = layouts[number] { return other }
            layouts[number] = binding
            return binding
        }
    }
}

/// What changing a property must look at; nothing of it counts references.
struct SlotTraits: Sendable {
    var isPrimaryKey: Bool
    /// Whether it is one value of any type, which may be a collection.
    var isMixed: Bool
    /// Whether the objects that it links to belong to the linking object.
    var isOwning: Bool
    /// Whether entries of derived keyspaces follow the single value.
    var isFollowed: Bool
}

/// The descriptions that the realms of a store share, by type and class: of each the version of a
/// commit that was asked for last.
struct TypeDescriptions {
    private struct Key: Hashable {
        let type: UInt32
        let classInfo: ObjectIdentifier?
    }

    private var latest: [Key: TypeDescription] = [:]

    /// The description of a type for no matter which class, if it is there and of the same record.
    func description(ofType number: UInt32, _ record: UnsafeRawBufferPointer) -> TypeDescription? {
        latest.first { key, known in
            key.type == number && known.record.withUnsafeBytes { $0.isSame(as: record) }
        }?.value
    }

    /// The description of a record; the one that is there if it is of the same record.
    mutating func description(
        of stored: StoredObjectType, _ record: [UInt8], _ classInfo: ClassInfo?
    ) -> TypeDescription {
        let key = Key(type: stored.number, classInfo: classInfo.map { ObjectIdentifier($0) })
        if let known = latest[key], known.record == record { return known }
        let made = TypeDescription(stored, record, classInfo: classInfo)
        latest[key] = made
        return made
    }
}
