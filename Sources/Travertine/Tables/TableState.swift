import TravertineStore

/// A type's table as one session has it: the type, and what is found and kept while the session
/// goes on.
final class TableState {
    unowned let session: RealmSession
    /// The same, for uses that end before the session does: nothing is counted.
    let coreReference: Unmanaged<RealmSession>
    /// The class; nil for a stored type whose class the realm doesn't have.
    let classInfo: ClassInfo?
    /// The version of the type that the session shows.
    @exclusivity(unchecked) private(set) var type: TypeDescription
    /// The same, for uses that end before another version is shown: nothing is counted.
    @exclusivity(unchecked) private var shownType: Unmanaged<TypeDescription>
    private let typeKey: [UInt8]
    /// Layouts that were found, by the low bits of their numbers; the type keeps them.
    private let accesses: UnsafeMutablePointer<LayoutAccess>
    private static let accessCount = 16
    /// The properties that link to its objects, as found last.
    @exclusivity(unchecked) var linkSources = LinkSources()
    /// Handles that may stand for the next objects (`RealmSession.beginReuse`).
    @exclusivity(unchecked) var recent: HandleCache
    /// Rows that links led to while a loop goes on, and in which generation they were found.
    @exclusivity(unchecked) var known = RowAddressCache(rowCount: 0)
    @exclusivity(unchecked) var knownGeneration: UInt64 = 0
    /// The link of its objects that was followed last, for loops that look ahead.
    @exclusivity(unchecked) var followed = FollowedLink()
    /// The indexes of the type that is shown, once a query was planned.
    @exclusivity(unchecked) private var searchableIndexes: [SearchableIndex]?
    /// Whether the type is not stored: its class can't be installed, or went with a rolled-back
    /// transaction. Nothing is found in the table from then on.
    var isGone = false

    convenience init(
        _ session: RealmSession, _ stored: StoredObjectType, classInfo: ClassInfo?
    ) {
        self.init(session, TypeDescription(stored, classInfo: classInfo))
    }

    init(_ session: RealmSession, _ type: TypeDescription) {
        self.session = session
        coreReference = Unmanaged.passUnretained(session)
        classInfo = type.classInfo
        self.type = type
        shownType = Unmanaged.passUnretained(type)
        typeKey = StoredSchema.typeKey(type.stored.number)
        // Frozen handles stay those of their objects: other threads may read them.
        recent = HandleCache(session.isFrozen ? nil : classInfo)
        accesses = .allocate(capacity: Self.accessCount)
        accesses.initialize(repeating: .none, count: Self.accessCount)
    }

    deinit { accesses.deallocate() }

    // MARK: The type

    /// Whether a change of the type was undone, and it was not renewed since.
    @exclusivity(unchecked) private var isUndone = false

    /// Shows another version of the type.
    func show(_ type: TypeDescription) {
        if type === self.type { return }
        assert(!session.isFrozen, "the types of a frozen version stay")
        session.counts.tableChangeCount &+= 1
        // Handles point into the layouts of the previous version of the type.
        session.advance()
        self.type = type
        searchableIndexes = nil
        shownType = Unmanaged.passUnretained(type)
        accesses.update(repeating: .none, count: Self.accessCount)
    }

    /// Shows the type as a transaction changed it, or as it is when nothing is stored of it.
    func change(to stored: StoredObjectType) {
        show(TypeDescription(stored, classInfo: classInfo))
    }

    var stored: StoredObjectType { @inline(__always) get { type.stored } }
    var visibleCount: Int { @inline(__always) get { type.visibleCount } }
    var slots: [TableSlot] { @inline(__always) get { type.slots } }
    var properties: [StoredProperty] { @inline(__always) get { type.properties } }
    var ownedSlots: [Int] { @inline(__always) get { type.ownedSlots } }
    var ruledSlots: [Int] { type.ruledSlots }
    var requiredSlots: [Int] { @inline(__always) get { type.requiredSlots } }
    var hiddenRequiredSlots: [Int] { type.hiddenRequiredSlots }
    var rules: DerivedRules { @inline(__always) get { type.rules } }
    var isEncodable: Bool { @inline(__always) get { type.isEncodable } }
    var hasUnwrappedProperties: Bool { @inline(__always) get { type.hasUnwrappedProperties } }
    var hasIntegerKeys: Bool { @inline(__always) get { type.hasIntegerKeys } }
    /// The keyspace of the rows.
    var rows: KeyspaceID {
        @inline(__always) get { shownType._withUnsafeGuaranteedRef { $0.stored.rows } }
    }

    /// The number of the stored type.
    var number: UInt32 {
        @inline(__always) get { shownType._withUnsafeGuaranteedRef { $0.stored.number } }
    }

    /// The numbers that the property of a slot has as the class declares it; nil for what is no
    /// integer, or not declared.
    func integerRange(at slot: Int) -> ClosedRange<Int64>? {
        shownType._withUnsafeGuaranteedRef { $0.integerRanges[slot] }
    }

    /// The indexes that a plan can use.
    var indexes: [SearchableIndex] {
        if let searchableIndexes { return searchableIndexes }
        let indexes = SearchableIndex.all(of: self)
        searchableIndexes = indexes
        return indexes
    }

    /// What changing a property of a slot must look at.
    @inline(__always)
    func traits(at slot: Int) -> SlotTraits {
        shownType._withUnsafeGuaranteedRef { $0.traits[slot] }
    }

    var info: ClassInfo {
        guard let classInfo else {
            misuse("\(stored.name) is not among the realm's object types")
        }
        return classInfo
    }

    var className: String { classInfo?.className ?? stored.name }

    /// Whether there are stored properties that the class leaves out.
    var hasHiddenSlots: Bool { visibleCount < properties.count }

    /// The names of the properties as values by name have them, in declared order.
    var publicNames: [String] {
        if let classInfo { return classInfo.properties.map(\.name) }
        let schema = schema
        return properties.map { property in
            schema.properties.first { $0.columnName == property.name }?.name ?? property.name
        }
    }

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

    /// Notes that what a transaction changed in the type was undone. The next one may write the
    /// same record and give the number of a layout to another, so that equal records say nothing.
    func noteUndone() { isUndone = true }

    /// Takes the stored type over if its record is another than the one known.
    func renew(_ access: ReadAccess) throws {
        let found = try typeKey.withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: session.shared.schemaKeyspace)
        }
        guard let found,
            isUndone || !type.record.withUnsafeBytes({ $0.isSame(as: found) })
        else { return }
        let changed: StoredObjectType
        do {
            changed = try StoredObjectType(encoded: found)
        } catch {
            throw Realm.Error.damagedSchema
        }
        // Another process may have opened the store with other classes.
        if let classInfo, let error = session.misfit(changed, classInfo) { throw error }
        // What a transaction has not committed yet is not for others.
        show(
            session.transaction == nil
                ? session.shared.description(of: changed, Array(found), classInfo)
                : TypeDescription(changed, Array(found), classInfo: classInfo))
        isUndone = false
    }

    // MARK: Rows

    /// The layout of a row, its fixed part being there.
    @inline(__always)
    func binding(of row: UnsafeRawBufferPointer) throws -> LayoutBinding {
        guard let binding = try access(of: row).binding else { throw damagedRow() }
        return binding.takeUnretainedValue()
    }

    /// The layout of a row as handles need it, the row's fixed part being there.
    @inline(__always)
    func access(of row: UnsafeRawBufferPointer) throws -> LayoutAccess {
        guard row.count >= 2, let base = row.baseAddress else { throw damagedRow() }
        let number = Int(UInt16(littleEndian: base.loadUnaligned(as: UInt16.self)))
        let known = accesses[number & (Self.accessCount - 1)]
        if known.number == Int32(number), row.count >= known.fixedByteCount { return known }
        return try otherAccess(UInt16(number), row)
    }

    @inline(never)
    private func otherAccess(_ number: UInt16, _ row: UnsafeRawBufferPointer) throws -> LayoutAccess
    {
        let found = access(to: try binding(number))
        guard row.count >= found.fixedByteCount else { throw damagedRow() }
        return found
    }

    /// How handles read a layout: not by themselves where reads are tracked.
    private func access(to binding: LayoutBinding) -> LayoutAccess {
        var access = LayoutAccess(binding)
        if session.tracker != nil {
            access.places = nil
            access.isComplete = false
        }
        return access
    }

    /// The layout with a number.
    func binding(_ number: UInt16) throws -> LayoutBinding {
        let place = Int(number) & (Self.accessCount - 1)
        if accesses[place].number == Int32(number), let binding = accesses[place].binding {
            return binding.takeUnretainedValue()
        }
        let found = try type.binding(number) {
            try StoredSchema.loadLayout(
                session.access, keyspace: session.shared.schemaKeyspace, type: stored.number,
                number: number)
        }
        guard let found else { throw damagedRow() }
        accesses[place] = access(to: found)
        return found
    }

    /// The layout that new rows get.
    func currentBinding() throws -> LayoutBinding {
        try binding(shownType._withUnsafeGuaranteedRef { $0.stored.currentLayout })
    }

    /// The values of a row by slot.
    @inline(__always)
    func values(of row: UnsafeRawBufferPointer) throws -> RowValues {
        RowValues(table: self, row: row, binding: try binding(of: row))
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
        shownType._withUnsafeGuaranteedRef { $0.value(at: slot, stored: stored) }
    }

    /// What rows older than a property have.
    func defaultValue(at slot: Int) -> _RawValue { type.defaultValue(at: slot) }

    func slot(ofProperty number: UInt32) -> Int? { type.slot(ofProperty: number) }

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

extension StoredObjectType {
    /// The type of a class that is not stored, in keyspaces that no store has.
    init(missing info: ClassInfo) {
        self.init(
            number: .max, name: info.storedName, rows: .nonexistent, pieces: .nonexistent,
            keyIndex: .nonexistent)
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
