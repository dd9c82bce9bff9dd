import TravertineStore

/// Changing one type: its properties, its primary key, its keyspaces and its layout.
extension SchemaInstaller {
    /// Stores the type of a class, or changes the stored one to what the class declares.
    mutating func install(_ info: ClassInfo, _ transaction: WriteTransaction) throws {
        if let index = stored.types.firstIndex(where: { $0.name == info.storedName }) {
            try change(index, info, transaction)
        } else {
            var type = StoredObjectType(number: stored.nextType, name: info.storedName)
            stored.nextType += 1
            type.isEmbedded = info.isEmbedded
            type.isAsymmetric = info.isAsymmetric
            if info.isAsymmetric { _ = try transaction.keyspace(named: OutboxQueue.keyspaceName) }
            type.rows = try SchemaKeyspaces(transaction).make(.rows, of: type)
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

    /// Changes a stored type to what a class declares: removes and adds properties, and creates or
    /// drops their keyspaces. New indexes are filled later (`toBuild`); rows keep their layout.
    private mutating func change(
        _ index: Int, _ info: ClassInfo, _ transaction: WriteTransaction
    ) throws {
        let before = stored.types[index]
        var type = before
        for property in type.properties {
            if isRemoved(property, info) {
                try SchemaKeyspaces(transaction).drop([property.index, property.backlinks])
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
        try SchemaKeyspaces(transaction).addPieces(to: &type)
        if type != before { changed.insert(type.number) }
        stored.types[index] = type
    }

    /// Adds a property to a type, or changes the stored one of its name to the declaration; creates
    /// or drops the keyspaces of its index and backlinks.
    ///
    /// - Parameter isComplete: whether the property gets its index and what commits check of it;
    ///   not while a migration goes on.
    mutating func install(
        _ declared: ClassInfo.Property, _ type: inout StoredObjectType,
        _ transaction: WriteTransaction, isComplete: Bool = true
    ) throws {
        let keyspaces = SchemaKeyspaces(transaction)
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
        if declared.type.mayLink, property.backlinks == .absent {
            property.backlinks = try keyspaces.make(
                .backlinks(property: property.number), of: type)
        }
        if isComplete, declared.isIndexed != property.isIndexed {
            property.isIndexed = declared.isIndexed
            if declared.isIndexed {
                property.index = try keyspaces.make(.index(property: property.number), of: type)
                toBuild.insert(property.index)
            } else {
                try keyspaces.drop([property.index])
                property.index = .absent
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
        if property.index != .absent { toBuild.insert(property.index) }
        if property.isPrimaryKey, type.keyIndex != .absent { toBuild.insert(type.keyIndex) }
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
        if !before.properties.isEmpty { try touchRows(of: type, transaction) }
        if !before.properties.isEmpty, type.keyKind == .integerPrimaryKey {
            type.keyKind = .assigned
        }
        let keyspaces = SchemaKeyspaces(transaction)
        try keyspaces.dropKeyIndex(of: &type)
        if type.primaryKey != nil, type.keyKind == .assigned {
            type.keyIndex = try keyspaces.make(.primaryKey, of: type)
            toBuild.insert(type.keyIndex)
        }
    }

    /// Writes the rows of a type once more as they are, if others link to them: feeds show a link
    /// as the primary key, and show it anew where the row that it leads to changed (O33).
    private func touchRows(
        of type: StoredObjectType, _ transaction: WriteTransaction
    ) throws {
        let isLinkedTo = stored.types.contains { source in
            source.properties.contains { $0.backlinks != .absent && $0.leads(to: type.name) }
        }
        guard isLinkedTo else { return }
        var next: [UInt8]? = []
        while let first = next {
            var keys: [[UInt8]] = []
            var cursor = transaction.access.cursor(in: type.rows)
            var isValid = try first.withBytes { (first) throws(StoreError) in
                try cursor.seek(atOrAfter: first)
            }
            while isValid, keys.count < 1000 {
                keys.append(cursor.withKey { Array($0) })
                isValid = try cursor.next()
            }
            next = isValid ? cursor.withKey { Array($0) } : nil
            for key in keys {
                try key.withBytes { (key) throws(StoreError) in
                    let row = try transaction.access.value(
                        forKey: key, in: type.rows, verified: true)
                    try row?.withBytes { (row) throws(StoreError) in
                        try transaction.put(rawKey: key, rawValue: row, in: type.rows)
                    }
                }
            }
        }
    }

    // MARK: Layouts

    /// Gives a type a layout of its present properties; widths stay as far as they were.
    mutating func addLayout(_ index: Int, _ transaction: WriteTransaction) throws {
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
