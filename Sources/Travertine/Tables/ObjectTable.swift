import TravertineStore

/// An object type as one realm uses it: the stored type, the class, and the layouts met so far.
final class ObjectTable {
    unowned let session: RealmSession
    /// The same, for uses that end before the session does: nothing is counted.
    let coreReference: Unmanaged<RealmSession>
    /// The class; nil for a stored type whose class the realm doesn't have.
    let classInfo: ClassInfo?
    @exclusivity(unchecked) var stored: StoredObjectType { didSet { renew() } }
    /// The stored type's record as the schema keyspace has it.
    private var record: [UInt8] = []
    private let typeKey: [UInt8]
    /// Slots that the class declares; stored properties that it leaves out come behind them.
    @exclusivity(unchecked) private(set) var visibleCount = 0
    /// Whether the class can be encoded.
    let isEncodable: Bool
    /// Whether the class has persisted properties without wrapper.
    let hasUnwrappedProperties: Bool
    @exclusivity(unchecked) private(set) var slots: [TableSlot] = []
    /// The stored property of each slot.
    @exclusivity(unchecked) private(set) var properties: [StoredProperty] = []
    /// What changing a property of a slot has to look at.
    @exclusivity(unchecked) private(set) var traits: [SlotTraits] = []
    /// Slots whose values something is derived from, or that have records of their own.
    @exclusivity(unchecked) private(set) var followedSlots: [Int] = []
    /// Slots of links with another delete rule than that targets stay.
    @exclusivity(unchecked) private(set) var ruledSlots: [Int] = []
    /// Slots of required links that the class declares.
    @exclusivity(unchecked) private(set) var requiredSlots: [Int] = []
    /// Slots of required links that the class leaves out.
    @exclusivity(unchecked) private(set) var hiddenRequiredSlots: [Int] = []
    /// Indexes beside those of single properties, and which slots these are over.
    @exclusivity(unchecked) private(set) var indexes: [TableIndex] = []
    @exclusivity(unchecked) private(set) var isInIndexes: [Bool] = []
    @exclusivity(unchecked) private var bindings: [UInt16: LayoutBinding] = [:]
    /// Layouts that were met, by the low bits of their numbers; `bindings` keeps them.
    private let faces: UnsafeMutablePointer<LayoutAccess>
    private static let faceCount = 16
    /// Stored defaults by slot.
    @exclusivity(unchecked) private var defaults = StoredDefaults([])
    /// The properties that link to its objects, as found last.
    @exclusivity(unchecked) var linkSources = LinkSources()
    /// Handles that may stand for the next objects (`RealmSession.beginReuse`).
    @exclusivity(unchecked) var recent: HandleCache
    /// Rows that links led to while a loop goes on, and in which generation they were met.
    @exclusivity(unchecked) var known = RowAddressCache(rowCount: 0)
    @exclusivity(unchecked) var knownGeneration: UInt64 = 0
    /// The link of its objects that was followed last, for loops that look ahead.
    @exclusivity(unchecked) var followed = FollowedLink()
    /// Whether the type is not stored: its class can't be installed, or went with a rolled-back
    /// transaction. Nothing is found in the table from then on.
    var isGone = false
    /// Whether the transaction changed the stored type.
    var isSchemaChanged = false
    /// Whether the transaction deleted an object, so that the next key must be written down.
    var mustStoreNextKey = false

    init(_ session: RealmSession, _ stored: StoredObjectType, classInfo: ClassInfo?) {
        self.session = session
        coreReference = Unmanaged.passUnretained(session)
        self.stored = stored
        self.classInfo = classInfo
        isEncodable = classInfo?.isEncodable ?? false
        hasUnwrappedProperties = classInfo.map { !$0.unwrappedProperties.isEmpty } ?? false
        typeKey = StoredSchema.typeKey(stored.number)
        recent = HandleCache(classInfo)
        faces = .allocate(capacity: Self.faceCount)
        faces.initialize(repeating: .none, count: Self.faceCount)
        renew()
    }

    deinit { faces.deallocate() }

    var info: ClassInfo {
        guard let classInfo else {
            misuse("\(stored.name) is not among the realm's object types")
        }
        return classInfo
    }

    var className: String { classInfo?.className ?? stored.name }

    /// Whether objects have their primary keys, integers that are never nil, as keys.
    @exclusivity(unchecked) private(set) var hasIntegerKeys = false

    /// Whether there are stored properties that the class leaves out.
    var hasHiddenSlots: Bool { visibleCount < properties.count }

    /// The names of the properties as values by name have them, in declared order.
    var publicNames: [String] { classInfo?.properties.map(\.name) ?? properties.map(\.name) }

    /// Values by the names of properties, as `ClassInfo.valuesByName`.
    func valuesByName(_ value: Any) -> [String: Any]? {
        if let classInfo { return classInfo.valuesByName(value) }
        if let values = value as? [String: Any] { return values }
        guard let values = value as? [Any], values.count <= properties.count else { return nil }
        return Dictionary(zip(publicNames, values)) { first, _ in first }
    }

    /// The type as `Realm.schema` has it.
    var schema: ObjectSchema {
        if let classInfo { return session.configuration.schema(of: classInfo) }
        return session.configuration.schema(withoutClass: stored.name) ?? ObjectSchema(stored)
    }

    /// Takes the stored type over if its record is another than the one known.
    func renew(_ access: ReadAccess) throws {
        let found = try typeKey.withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: session.shared.schemaKeyspace)
        }
        guard let found, !record.withUnsafeBytes({ $0.isSame(as: found) }) else { return }
        let changed: StoredObjectType
        do {
            changed = try StoredObjectType(encoded: found)
        } catch {
            throw Realm.Error.damagedSchema
        }
        // Another process may have opened the store with other classes.
        let problems =
            classInfo.map { SchemaComparison.differences(changed, $0, isSubset: true) } ?? []
        guard problems.isEmpty else {
            throw Realm.Error(
                .schemaMismatch,
                "The stored schema was changed while this realm was open with classes that don't fit "
                    + "it any more:\n- " + problems.joined(separator: "\n- "),
                fileURL: session.shared.fileURL)
        }
        stored = changed
    }

    private func renew() {
        session.tableChangeCount &+= 1
        record = stored.encoded
        faces.update(repeating: .none, count: Self.faceCount)
        bindings.removeAll()
        if let classInfo {
            properties = classInfo.properties.compactMap { declared in
                stored.properties.first { $0.name == declared.storedName }
            }
            require(
                properties.count == classInfo.properties.count,
                "the stored \(stored.name) lacks declared properties; it was opened by other means")
            slots = zip(properties, classInfo.properties).map { TableSlot($0, $1) }
            visibleCount = properties.count
            if stored.properties.count > visibleCount {
                let declared = Set(properties.map(\.number))
                let hidden = stored.properties.filter { !declared.contains($0.number) }
                properties += hidden
                slots += hidden.map { TableSlot($0) }
            }
        } else {
            properties = stored.properties
            slots = properties.map { TableSlot($0) }
            visibleCount = properties.count
        }
        let required = properties.indices.filter { properties[$0].isRequired }
        requiredSlots = required.filter { $0 < visibleCount }
        hiddenRequiredSlots = required.filter { $0 >= visibleCount }
        indexes = stored.indexes.compactMap { TableIndex($0, properties) }
        isInIndexes = properties.indices.map { slot in
            indexes.contains { $0.slots.contains(slot) }
        }
        traits = properties.indices.map { slot in
            let property = properties[slot]
            return SlotTraits(
                type: property.type, index: property.index, backlinks: property.backlinks,
                isCollection: property.collection != .none, isPrimaryKey: property.isPrimaryKey,
                isOwning: property.isOwning,
                isFollowed: property.index != 0 || property.backlinks != 0 || isInIndexes[slot])
        }
        followedSlots = properties.indices.filter {
            traits[$0].isFollowed || traits[$0].isPrimaryKey || properties[$0].collection != .none
        }
        ruledSlots = properties.indices.filter { properties[$0].deleteRule != .nullify }
        defaults = StoredDefaults(properties)
        hasIntegerKeys =
            stored.keyKind == .integerPrimaryKey
            && properties.contains { $0.isPrimaryKey && $0.type == .int }
    }

    /// The layout of a row, its fixed part being there.
    @inline(__always)
    func binding(of row: UnsafeRawBufferPointer) throws -> LayoutBinding {
        guard let binding = try face(of: row).binding else { throw damagedRow() }
        return binding.takeUnretainedValue()
    }

    /// The layout of a row as handles need it, the row's fixed part being there.
    @inline(__always)
    func face(of row: UnsafeRawBufferPointer) throws -> LayoutAccess {
        guard row.count >= 2, let base = row.baseAddress else { throw damagedRow() }
        let number = Int(UInt16(littleEndian: base.loadUnaligned(as: UInt16.self)))
        let face = faces[number & (Self.faceCount - 1)]
        if face.number == Int32(number), row.count >= face.fixedByteCount { return face }
        return try otherFace(UInt16(number), row)
    }

    @inline(never)
    private func otherFace(_ number: UInt16, _ row: UnsafeRawBufferPointer) throws -> LayoutAccess {
        let face = LayoutAccess(try binding(number))
        guard row.count >= face.fixedByteCount else { throw damagedRow() }
        return face
    }

    /// The layout with a number.
    func binding(_ number: UInt16) throws -> LayoutBinding {
        let place = Int(number) & (Self.faceCount - 1)
        if faces[place].number == Int32(number), let binding = faces[place].binding {
            return binding.takeUnretainedValue()
        }
        if let binding = bindings[number] {
            faces[place] = LayoutAccess(binding)
            return binding
        }
        guard
            let layout = try StoredSchema.loadLayout(
                session.access, keyspace: session.shared.schemaKeyspace, type: stored.number,
                number: number)
        else { throw damagedRow() }
        let binding = LayoutBinding(
            layout, slots: slots, isAsked: classInfo?.ignoresWrapper ?? false)
        bindings[number] = binding
        faces[place] = LayoutAccess(binding)
        return binding
    }

    /// The layout that new rows get.
    func currentBinding() throws -> LayoutBinding { try binding(stored.currentLayout) }

    /// Keeps a layout that was just made.
    func keep(_ layout: Layout) {
        faces[Int(layout.number) & (Self.faceCount - 1)] = .none
        bindings[layout.number] = LayoutBinding(
            layout, slots: slots, isAsked: classInfo?.ignoresWrapper ?? false)
    }

    /// The value of a slot in a row, or what rows older than the property have.
    @inline(__always)
    func value(
        at slot: Int, in row: UnsafeRawBufferPointer, _ binding: LayoutBinding
    ) -> _RawValue {
        value(at: slot, stored: binding.value(at: slot, in: row))
    }

    /// The value that a slot has by what its row says; nil for a row without the property.
    @inline(__always)
    func value(at slot: Int, stored: _RawValue?) -> _RawValue {
        if let stored {
            guard case .null = stored else { return stored }
            if slots[slot].type.isOptional { return .null }
        }
        return defaults[slot]
    }

    /// What rows older than a property have.
    func defaultValue(at slot: Int) -> _RawValue { defaults[slot] }

    func slot(ofProperty number: UInt32) -> Int? { slots.firstIndex { $0.property == number } }

    func slot(named name: String) -> Int? {
        if let slot = classInfo?.slot(named: name) { return slot }
        if !session.configuration.objectSchemas.isEmpty,
            let property = schema.properties.first(where: { $0.name == name })
        {
            return properties.firstIndex { $0.name == property.columnName }
        }
        return properties.firstIndex { $0.name == name }
    }

    /// The slot of a stored property that the class does not declare.
    func hiddenSlot(named name: String) -> Int? {
        slot(named: name).flatMap { $0 >= visibleCount ? $0 : nil }
    }

    func damagedRow() -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "A row of \(stored.name) is shorter than its layout says, or has an unknown one. Run "
                + "`travertine fsck` on the directory.", fileURL: session.shared.fileURL)
    }
}

/// What changing a property has to look at; nothing of it counts references.
struct SlotTraits {
    var type: PropertyType
    /// The keyspaces of the property's index and backlinks, or 0.
    var index: UInt32
    var backlinks: UInt32
    var isCollection: Bool
    var isPrimaryKey: Bool
    /// Whether the objects that it links to belong to the linking object.
    var isOwning: Bool
    /// Whether entries of derived keyspaces follow the value.
    var isFollowed: Bool
}

extension StoredObjectType {
    /// The type of a class that is not stored, in keyspaces that no store has.
    init(missing info: ClassInfo) {
        self.init(number: .max, name: info.storedName, rows: .max, pieces: .max, keyIndex: .max)
        isEmbedded = info.isEmbedded
        isAsymmetric = info.isAsymmetric
        properties = info.properties.map { StoredProperty($0) }
    }
}

extension _RawValue {
    /// What null in a row means for a property that can't be nil.
    @inline(never)
    static func zero(_ shape: PieceShape) -> _RawValue {
        switch shape {
        case .word: .word(0)
        case .fixed(let count): .bytes(UnsafeRawBufferPointer(start: zeros, count: Int(count)))
        case .variable: .bytes(UnsafeRawBufferPointer(start: zeros, count: 0))
        }
    }

    /// Zeros for as long as the process runs.
    private nonisolated(unsafe) static let zeros = {
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        return UnsafeRawPointer(zeros.baseAddress)
    }()
}
