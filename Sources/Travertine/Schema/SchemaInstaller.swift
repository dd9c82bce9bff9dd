import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Brings the stored schema in line with the classes, in one transaction: `needsChange`, then
/// `change`.
///
/// New types, and indexes that come or go, need no higher version. Properties that come, go or
/// change do; rows stay as they are and keep their layout. What needs a look at the rows is only:
/// the new primary key, new indexes and backlinks, and derived keyspaces that were lost.
struct SchemaInstaller {
    let store: Store
    let keyspace: UInt32
    var stored: StoredSchema
    let classes: [ClassInfo]
    let version: UInt64
    let fileURL: URL
    /// What the configuration does with stored objects under a higher version; nil if nothing.
    var migration: MigrationPlan?
    /// Whether nothing can be changed: what would need to be is an error.
    var isReadOnly = false
    /// Whether the classes may leave stored properties out.
    let isSubset: Bool
    var indexBuildProgress: (@Sendable (IndexBuildProgress) -> Void)?
    /// Types whose record must be written again.
    var changed: Set<UInt32> = []
    /// Types that need a new layout.
    var relaid: Set<UInt32> = []
    /// Derived keyspaces to fill from rows.
    var toBuild: Set<UInt32> = []
    /// Derived keyspaces that were lost when the classes were compared.
    private var invalid: Set<UInt32> = []

    init(
        store: Store, keyspace: UInt32, stored: StoredSchema, classes: [ClassInfo],
        version: UInt64, fileURL: URL, isSubset: Bool = false
    ) {
        self.isSubset = isSubset
        self.store = store
        self.keyspace = keyspace
        self.stored = stored
        self.classes = classes
        self.version = version
        self.fileURL = fileURL
    }

    /// Compares; returns whether anything must be changed.
    ///
    /// - Throws: `Realm.Error` with `.schemaMismatch` and all problems that there are.
    mutating func needsChange() throws -> Bool {
        let problems = problems()
        guard problems.isEmpty else { throw mismatch(problems) }
        if isReadOnly {
            try checkIndexes()
            return false
        }
        invalid = try invalidKeyspaces()
        let isNew = stored.types.isEmpty && stored.version == 0
        return try isNew || version != stored.version || !invalid.isEmpty || hasChanges
            || hasChangedDomains()
    }

    /// Changes what `needsChange` found, and returns the schema as the transaction has it then.
    ///
    /// - Parameters:
    ///   - session: that of the transaction; has no other tables than those made for this.
    ///   - isDiscarding: whether values may be lost that changed properties have no place for.
    ///   - willChange: called before anything is changed, to refuse that.
    mutating func change(
        in session: RealmSession, isDiscarding: Bool, willChange: () throws -> Void
    ) throws -> StoredSchema {
        let transaction = session.requireTransaction()
        try takeNewest(transaction)
        try willChange()
        if let migration, version > stored.version, !stored.types.isEmpty {
            try migrate(migration, in: session, isDiscarding: isDiscarding)
            return stored
        }
        let changes = propertyChanges
        if !changes.isEmpty {
            let losses = try session.prepare(changes, isDiscarding: isDiscarding)
            guard losses.isEmpty else { throw mismatch(losses + adviceOnLosses) }
            // Rows that were changed may have needed wider layouts.
            stored = try StoredSchema.load(transaction.access, keyspace: keyspace) ?? stored
        }
        try change(invalid: invalid, transaction)
        return stored
    }

    /// The stored properties that are removed, and those that change their types.
    var propertyChanges: PropertyChanges {
        var changes = PropertyChanges(removed: [], changed: [])
        for info in classes {
            guard let type = stored.type(named: info.storedName) else { continue }
            for property in type.properties where isRemoved(property, info) {
                let declared = info.properties.first { $0.storedName == property.name }
                if let declared {
                    changes.changed.append(
                        ChangedProperty(
                            typeName: type.name, typeNumber: type.number, pieces: type.pieces,
                            property: property, declared: declared,
                            varies: LinkVariation.varies(declared, classes)))
                } else {
                    changes.removed.append(
                        RemovedProperty(property: property, pieces: type.pieces))
                }
            }
        }
        return changes
    }

    /// What to do where a change would lose values.
    var adviceOnLosses: [String] {
        [
            "Nothing was changed. To keep the values, set the property in a `migrationBlock`: "
                + "`migration.enumerateObjects(ofType:) { old, new in new![\"…\"] = old![\"…\"] … }`. "
                + "To remove them, set `discardsChangedProperties` of the configuration."
        ] + possibleRenamings
    }

    private var possibleRenamings: [String] {
        if isSubset { return [] }
        return classes.flatMap { info in
            stored.type(named: info.storedName).map {
                SchemaComparison.possibleRenamings($0, info)
            } ?? []
        }
    }

    /// Whether a class has a property no more, or another one in its place.
    func isRemoved(_ property: StoredProperty, _ info: ClassInfo) -> Bool {
        if property.isHidden { return true }
        let declared = info.properties.first { $0.storedName == property.name }
        if declared == nil { return !isSubset }
        return SchemaComparison.needsNewProperty(property, declared)
    }

    /// Compares and changes as a part of a transaction, which nobody else writes beside; `stored`
    /// is the schema as the transaction sees it.
    mutating func install(
        in transaction: WriteTransaction, willChange: () throws -> Void
    ) throws -> StoredSchema {
        var problems = problems()
        if version > stored.version, !stored.types.isEmpty {
            problems.append("The schema version can't be raised inside of a write transaction.")
        }
        guard problems.isEmpty else { throw mismatch(problems) }
        try willChange()
        try change(invalid: [], transaction)
        return stored
    }

    /// Everything that keeps the classes from being installed, in whole sentences: the rules that
    /// they break, then how they differ from what is stored.
    private func problems() -> [String] {
        var problems =
            SchemaValidation.problems(of: classes)
            + classes.compactMap { SchemaComparison.changedKind(stored, $0) }
        if version < stored.version {
            problems.append(
                "Provided schema version \(version) is less than last set version "
                    + "\(stored.version). Raise `schemaVersion` of the configuration.")
        }
        let isMigrating = version > stored.version && !stored.types.isEmpty && migration != nil
        if isMigrating, !isReadOnly {
            problems += migration?.problems(from: stored, to: version, classes) ?? []
        }
        // A migration may rename it: that is compared after it.
        if isSubset, !isMigrating || isReadOnly {
            problems += classes.compactMap { SchemaComparison.leftOutKey(stored, $0) }
        }
        let differences = classes.flatMap { info in
            stored.type(named: info.storedName).map {
                SchemaComparison.differences($0, info, isSubset: isSubset)
            } ?? []
        }
        if isReadOnly { return problems + unstored(differences) }
        if !differences.isEmpty, version == stored.version {
            problems += differences
            problems += possibleRenamings
            problems.append(
                "Raise `schemaVersion` of the configuration above \(stored.version): added and "
                    + "removed properties, and changes that keep all values, need nothing else.")
        }
        return problems
    }

    /// What the classes need that is not stored, which a read-only realm can't change.
    private func unstored(_ differences: [String]) -> [String] {
        let missing = classes.filter { stored.type(named: $0.storedName) == nil }.map {
            "Type '\($0.storedName)' is not stored."
        }
        if differences.isEmpty, missing.isEmpty { return [] }
        return differences + missing + [
            "A read-only realm can't be changed: open it for writing once."
        ]
    }

    /// The derived keyspaces that were lost and wait to be rebuilt.
    private func invalidKeyspaces() throws -> Set<UInt32> {
        let snapshot = try store.snapshot()
        return withExtendedLifetime(snapshot) {
            Set(
                stored.types.flatMap(\.derivedKeyspaces).filter {
                    snapshot.access.tree(of: $0).flags & TreeFlags.invalid != 0
                })
        }
    }

    /// Throws when indexes were lost that a read-only realm needs: queries would miss objects.
    /// Without indexes that are declared and were never built, queries are slower.
    private func checkIndexes() throws {
        guard try invalidKeyspaces().isEmpty else {
            throw Realm.Error(
                .invalidDatabase,
                "Indexes of this realm were lost with a checkpoint, and a read-only realm can't "
                    + "rebuild them: open it for writing once.", fileURL: fileURL)
        }
    }

    func mismatch(_ problems: [String]) -> Realm.Error {
        // What the classes declare can be wrong by itself, whatever is stored.
        let rules = Set(SchemaValidation.problems(of: classes))
        let isOfRules = stored.types.isEmpty || problems.allSatisfy { rules.contains($0) }
        return Realm.Error(
            .schemaMismatch,
            (isOfRules
                ? "The object types can't be used:\n- "
                : "The classes don't fit the stored schema:\n- ")
                + problems.joined(separator: "\n- "),
            fileURL: fileURL)
    }

    private var hasChanges: Bool {
        classes.contains { info in
            guard let type = stored.type(named: info.storedName),
                Self.hasDeclaredIndexes(type, info, isSubset: isSubset)
            else { return true }
            return info.properties.contains { declared in
                let property = type.properties.first { $0.name == declared.storedName }
                return property?.isIndexed != declared.isIndexed
                    || property?.deleteRule != declared.deleteRule
                    || property?.isRequired != declared.isRequired
                    || property?.lacksDefault(declared) ?? false
            }
        }
    }

    /// Takes what was committed since the classes were compared. Layouts may have been added; where
    /// a transaction used classes first, types may have been, too, and then the classes are
    /// compared with these.
    private mutating func takeNewest(_ transaction: WriteTransaction) throws {
        guard let newest = try StoredSchema.load(transaction.access, keyspace: keyspace) else {
            return
        }
        let isSame =
            newest.version == stored.version
            && newest.types.map(\.withoutLayouts) == stored.types.map(\.withoutLayouts)
        stored = newest
        if isSame { return }
        let problems = problems()
        guard problems.isEmpty else { throw mismatch(problems) }
    }

    /// Changes the schema, and what is derived from rows, to what the classes declare.
    ///
    /// - Parameter earlier: the types before the change, for what must hold of links from now on;
    ///   nil for those that are stored.
    mutating func change(
        invalid: Set<UInt32>, since earlier: [StoredObjectType]? = nil,
        _ transaction: WriteTransaction
    ) throws {
        let before = earlier ?? stored.types
        stored.version = version
        for info in classes { try install(info, transaction) }
        rebuildPlaces(since: before)
        try writeChanged(transaction)
        try checkRequiredLinks(since: before, transaction)
        try writeValueDomains(transaction)
        for type in stored.types {
            let lost = type.derivedKeyspaces.filter {
                toBuild.contains($0) || (invalid.contains($0) && transaction.isInvalid($0))
            }
            if lost.isEmpty { continue }
            var builder = DerivedBuilder(
                transaction: transaction, type: type, schemaKeyspace: keyspace)
            builder.progress = indexBuildProgress
            try builder.build(Set(lost))
        }
    }

    /// Writes the header, and the records and layouts of types that changed.
    mutating func writeChanged(_ transaction: WriteTransaction) throws {
        try StoredSchema.put(
            StoredSchema.headerKey, stored.encodedHeader, transaction, keyspace)
        for index in stored.types.indices {
            if relaid.contains(stored.types[index].number) { try addLayout(index, transaction) }
            if changed.contains(stored.types[index].number) {
                try StoredSchema.put(stored.types[index], transaction, keyspace)
            }
        }
    }

    // MARK: One type

    mutating func install(_ info: ClassInfo, _ transaction: WriteTransaction) throws {
        if let index = stored.types.firstIndex(where: { $0.name == info.storedName }) {
            try change(index, info, transaction)
        } else {
            var type = StoredObjectType(number: stored.nextType, name: info.storedName)
            stored.nextType += 1
            type.isEmbedded = info.isEmbedded
            type.isAsymmetric = info.isAsymmetric
            if info.isAsymmetric { _ = try transaction.keyspace(named: OutboxQueue.keyspaceName) }
            type.rows = try keyspace(type, "rows", .records, transaction)
            if let primary = info.properties.first(where: \.isPrimaryKey),
                primary.type.type == .int, !primary.type.isOptional
            {
                type.keyKind = .integerPrimaryKey
            }
            stored.types.append(type)
            try change(stored.types.count - 1, info, transaction)
            relaid.insert(type.number)
            changed.insert(type.number)
        }
    }

    private mutating func change(
        _ index: Int, _ info: ClassInfo, _ transaction: WriteTransaction
    ) throws {
        let before = stored.types[index]
        var type = before
        for property in type.properties {
            if isRemoved(property, info) {
                try drop([property.index, property.backlinks], type, transaction)
                type.properties.removeAll { $0.number == property.number }
                relaid.insert(type.number)
            }
        }
        for declared in info.properties {
            try install(declared, &type, transaction)
        }
        type.properties.sort { $0.number < $1.number }
        try installPrimaryKey(before, &type, transaction)
        try installIndexes(info, &type, transaction)
        if type.pieces == 0,
            type.properties.contains(where: { $0.collection != .none || $0.type == .any })
        {
            type.pieces = try keyspace(type, "pieces", .records, transaction)
        }
        if type != before { changed.insert(type.number) }
        stored.types[index] = type
    }

    /// - Parameter isComplete: whether the property gets its index and what commits check of it;
    ///   not while a migration goes on.
    mutating func install(
        _ declared: ClassInfo.Property, _ type: inout StoredObjectType,
        _ transaction: WriteTransaction, isComplete: Bool = true
    ) throws {
        var index = type.properties.firstIndex { $0.name == declared.storedName }
        if index == nil {
            type.properties.append(
                StoredProperty(
                    number: type.nextProperty, name: declared.storedName, type: declared.type.type,
                    isOptional: declared.type.isOptional, collection: declared.type.collection,
                    target: declared.target, isPrimaryKey: isComplete && declared.isPrimaryKey,
                    isIndexed: false,
                    defaultValue: declared.defaultValue))
            if LinkVariation.varies(declared, classes) {
                type.properties[type.properties.count - 1].makeVarying()
            }
            type.nextProperty += 1
            index = type.properties.count - 1
            relaid.insert(type.number)
        }
        guard let index else { return }
        var property = type.properties[index]
        if isComplete {
            property.isPrimaryKey = declared.isPrimaryKey
            property.isRequired = declared.isRequired
        }
        property.deleteRule = declared.deleteRule
        property.isOwning = classes.contains {
            $0.isEmbedded && $0.storedName == declared.target
        }
        let needsDefault = try needsDefault(property, declared, type, transaction)
        if needsDefault { property.defaultValue = declared.defaultValue }
        let changesOptionality =
            !property.isVarying && property.isOptional != declared.type.isOptional
        if changesOptionality {
            property.isOptional = declared.type.isOptional
            relaid.insert(type.number)
        }
        if needsDefault || changesOptionality { rebuildIndexes(over: property, of: type) }
        if declared.type.mayLink, property.backlinks == 0 {
            property.backlinks = try keyspace(
                type, "backlinks.\(property.number)", .derived, transaction)
        }
        if isComplete, declared.isIndexed != property.isIndexed {
            property.isIndexed = declared.isIndexed
            if declared.isIndexed {
                property.index = try keyspace(
                    type, "index.\(property.number)", .derived, transaction)
                toBuild.insert(property.index)
            } else {
                try drop([property.index], type, transaction)
                property.index = 0
            }
        }
        type.properties[index] = property
    }

    /// Whether nil in rows begins to mean the declared default: once, when a property can't be nil
    /// any more. Rows that lack the property keep the default that it was added with.
    private func needsDefault(
        _ property: StoredProperty, _ declared: ClassInfo.Property, _ type: StoredObjectType,
        _ transaction: WriteTransaction
    ) throws -> Bool {
        if property.lacksDefault(declared) { return true }
        guard property.isOptional, !declared.type.isOptional, declared.type.collection == .none,
            !property.isVarying, property.defaultValue != declared.defaultValue,
            type.currentLayout > 0
        else { return false }
        return try (1...type.currentLayout).allSatisfy { number in
            let layout = try StoredSchema.loadLayout(
                transaction.access, keyspace: keyspace, type: type.number, number: number)
            return layout?.entries.contains { $0.property == property.number } ?? true
        }
    }

    /// Lets every index be built anew whose entries have the values of a property.
    private mutating func rebuildIndexes(over property: StoredProperty, of type: StoredObjectType) {
        if property.index != 0 { toBuild.insert(property.index) }
        if property.isPrimaryKey, type.keyIndex != 0 { toBuild.insert(type.keyIndex) }
        for index in type.indexes where index.properties.contains(property.number) {
            toBuild.insert(index.keyspace)
        }
    }

    /// A type whose keys come from its Int primary key keeps them as they are when the primary key
    /// changes; from then on new keys are counted up after them.
    private mutating func installPrimaryKey(
        _ before: StoredObjectType, _ type: inout StoredObjectType,
        _ transaction: WriteTransaction
    ) throws {
        let isSame = before.primaryKey.map { old in
            type.primaryKey?.number == old.number && type.primaryKey?.isOptional == old.isOptional
        }
        if isSame == true { return }
        if before.primaryKey == nil, type.primaryKey == nil { return }
        if !before.properties.isEmpty, type.keyKind == .integerPrimaryKey {
            type.keyKind = .assigned
        }
        try drop([type.keyIndex], type, transaction)
        type.keyIndex = 0
        if type.primaryKey != nil, type.keyKind == .assigned {
            type.keyIndex = try keyspace(
                type, "key.\(type.nextProperty)", .derived, transaction)
            toBuild.insert(type.keyIndex)
        }
    }

    // MARK: Keyspaces and layouts

    func keyspace(
        _ type: StoredObjectType, _ role: String, _ kind: Keyspace.Kind,
        _ transaction: WriteTransaction
    ) throws -> UInt32 {
        let keyspace = try transaction.keyspace(
            named: "type.\(type.number).\(role)", kind: kind)
        // Rows are small, and read in place from packs as well.
        if role == "rows" { try transaction.setCompression(.packed, of: keyspace) }
        return keyspace.id
    }

    func drop(
        _ identifiers: [UInt32], _ type: StoredObjectType, _ transaction: WriteTransaction
    ) throws {
        for id in identifiers where id != 0 {
            if let keyspace = transaction.knownKeyspace(id: id) {
                try transaction.dropKeyspace(keyspace)
            }
        }
    }

    /// Gives a type a layout of its present properties; widths stay as far as they were.
    private mutating func addLayout(_ index: Int, _ transaction: WriteTransaction) throws {
        var type = stored.types[index]
        let before =
            type.currentLayout == 0
            ? nil
            : try StoredSchema.loadLayout(
                transaction.access, keyspace: keyspace, type: type.number,
                number: type.currentLayout)
        guard let layout = type.layOut(after: before) else {
            throw mismatch(["'\(type.name)' has too many properties for a row."])
        }
        try StoredSchema.put(layout, of: type.number, transaction, keyspace)
        stored.types[index] = type
        changed.insert(type.number)
    }
}
