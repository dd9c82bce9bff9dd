import PostgreSQLClient
import Travertine

/// What becomes of the objects of one type, as far as it was not sent.
final class TypeBatch {
    private let plan: RowPlan
    private let main: TableBuffer
    private let children: [TableBuffer]
    private let schema: String
    private let source: String?
    /// Whether there may be rows of the objects already.
    private let replaces: Bool
    /// The numbers of objects that were put, and of those that were deleted.
    private var putKeys: [Int64] = []
    private var deletedKeys: [Int64] = []
    private var seen: Set<UInt64> = []
    /// What identifies the rows of objects that were put, as a list in parentheses.
    private var owners = ValuesText()
    /// Objects that are only added, whose lists must not come to rows of others with their keys.
    private var added: [FeedObject] = []
    private var addedKeys: Set<StoredValue> = []
    /// Whether such objects are looked up before they are stored.
    private let looksUp: Bool
    private var policy = ValueWriter.NULPolicy.refuse
    private var foundCount = 0

    /// So many rows, and bytes, are sent together.
    private static let rowCountMax = 500
    private static let insertByteCountMax = 256 << 10
    private static let copyByteCountMax = 256 << 10

    /// - Parameter isEmpty: whether there are no rows of the type, so that COPY can be used, where
    ///   the server can store all of its columns by it.
    init(_ plan: RowPlan, _ mapping: SyncMapping, isEmpty: Bool, _ server: ServerWriter) {
        self.plan = plan
        let type = plan.mapping
        schema = mapping.options.schema
        source = mapping.options.source
        replaces = !isEmpty && !type.isAsymmetric
        let copies =
            isEmpty
            && server.dialect.copies(
                type.columns.map(\.type) + type.children.map(\.type) + [type.identity.type])
        let mode: TableBuffer.Mode = copies ? .copy : type.isAsymmetric ? .insertNew : .upsert
        looksUp =
            type.isAsymmetric && !isEmpty && !type.isIdentifiedByKey && !type.children.isEmpty
        let sourceColumns = source == nil ? [] : [SyncState.sourceColumn]
        main = TableBuffer(
            schema: schema, table: type.table, columns: plan.columns,
            key: sourceColumns + [type.identity.column], mode: mode)
        children = type.children.map { child in
            let key = sourceColumns + [child.ownerColumn, ChildMapping.positionColumn]
            return TableBuffer(
                schema: mapping.options.schema, table: child.table,
                columns: key + [ChildMapping.valueColumn], key: key, mode: mode)
        }
    }

    /// Asymmetric objects whose primary key was there already, which no other object should have.
    var keptRowCount: Int { plan.mapping.isIdentifiedByKey ? 0 : main.keptRowCount + foundCount }

    var byteCount: Int { children.reduce(main.byteCount) { $0 + $1.byteCount } }

    /// Whether what there is should be sent now.
    private var isFull: Bool {
        if main.mode == .copy {
            return byteCount >= Self.copyByteCountMax
        }
        return seen.count >= Self.rowCountMax || byteCount >= Self.insertByteCountMax
    }

    /// Takes an object that is to be in the tables.
    func put(
        _ object: FeedObject, _ values: inout ValueWriter, _ server: ServerWriter
    ) throws {
        if main.mode != .copy, !seen.insert(object.key).inserted {
            // A statement may change a row once.
            try flush(server)
            seen.insert(object.key)
        }
        let identity = plan.identity(of: object)
        if looksUp, addedKeys.contains(identity) { try flush(server) }
        // Two keys must not become one.
        if case .string(let key) = identity, key.utf8.contains(0) {
            throw SyncError.nulCharacter(
                type: object.type.name, property: plan.mapping.identity.column, key: "\(identity)")
        }
        do {
            try write(object, identity, &values)
            if looksUp {
                policy = values.policy
                added.append(object)
                addedKeys.insert(identity)
            }
            if replaces { putKeys.append(Int64(bitPattern: object.key)) }
            if replaces || looksUp {
                try values.write(identity, plan.mapping.identity.type, to: &owners)
                owners.endRow()
            }
        } catch let error as UnstorableText {
            throw SyncError.nulCharacter(
                type: object.type.name, property: error.name, key: "\(identity)")
        } catch let error as MismatchedValue {
            throw SyncError.mismatched(
                type: object.type.name, key: "\(identity)", "\(error)")
        }
        if isFull { try flush(server) }
    }

    /// Writes the rows of an object.
    private func write(
        _ object: FeedObject, _ identity: StoredValue, _ values: inout ValueWriter
    ) throws {
        if main.mode == .copy {
            for (child, elements) in try plan.write(object, to: &main.copy, &values) {
                try plan.write(
                    elements, ofChild: child, owner: identity, to: &children[child].copy,
                    &values)
                children[child].didAdd(rows: elements.count)
            }
        } else {
            for (child, elements) in try plan.write(object, to: &main.values, &values) {
                try plan.write(
                    elements, ofChild: child, owner: identity, to: &children[child].values,
                    &values)
                children[child].didAdd(rows: elements.count)
            }
        }
        main.didAdd()
    }

    /// Takes an object that is to be in the tables no more.
    func delete(_ object: DeletedFeedObject, _ server: ServerWriter) throws {
        guard replaces else { return }
        if !seen.insert(object.key).inserted {
            try flush(server)
            seen.insert(object.key)
        }
        deletedKeys.append(Int64(bitPattern: object.key))
        if isFull { try flush(server) }
    }

    /// Sends what there is: first what goes, then what comes.
    func flush(_ server: ServerWriter) throws {
        if replaces {
            try deleteObjects(server)
            try deleteStaleRows(server)
            if owners.byteCount > 0 {
                let list = String(decoding: owners.bytes, as: UTF8.self)
                try deleteChildren(of: list, isGone: false, server)
            }
        }
        if looksUp, !added.isEmpty { try leaveOutFound(server) }
        try main.flush(server)
        for child in children { try child.flush(server) }
        owners.removeAll()
        added.removeAll(keepingCapacity: true)
        addedKeys.removeAll(keepingCapacity: true)
        putKeys.removeAll(keepingCapacity: true)
        deletedKeys.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
    }

    // MARK: Adding

    /// Leaves out objects whose keys the server has: the first object with a key stays, and so do
    /// its lists, to which nothing is added.
    private func leaveOutFound(_ server: ServerWriter) throws {
        let list = String(decoding: owners.bytes, as: UTF8.self)
        if try !isFound("IN (\(list))", server) { return }
        main.removeAll()
        for child in children { child.removeAll() }
        // What was replaced in texts was counted when they came.
        var values = ValueWriter(policy: policy)
        for object in added {
            let identity = plan.identity(of: object)
            var key = ValuesText()
            try values.write(identity, plan.mapping.identity.type, to: &key)
            key.endRow()
            if try isFound("IN (\(String(decoding: key.bytes, as: UTF8.self)))", server) {
                foundCount += 1
            } else {
                try write(object, identity, &values)
            }
        }
    }

    private func isFound(_ condition: String, _ server: ServerWriter) throws -> Bool {
        try server.execute(
            "SELECT 1 FROM \(table(plan.mapping.table)) WHERE \(try ofSource())"
                + "\(plan.mapping.identity.column.quoted) \(condition) LIMIT 1"
        ).rowCount > 0
    }

    // MARK: Deleting

    private func table(_ name: String) -> String { name.quoted(in: schema) }

    private func ofSource() throws -> String {
        guard let source else { return "" }
        return "\(SyncState.sourceColumn.quoted) = \(try SQLLiteral.text(source)) AND "
    }

    private func deleteObjects(_ server: ServerWriter) throws {
        if deletedKeys.isEmpty { return }
        let type = plan.mapping
        guard let keyColumn = type.keyColumn else {
            let keys = deletedKeys.map { "'\($0 ^ .min)'" }.joined(separator: ", ")
            try deleteChildren(of: keys, isGone: true, server)
            try server.execute(
                "DELETE FROM \(table(type.table)) WHERE \(try ofSource())"
                    + "\(type.identity.column.quoted) IN (\(keys))")
            return
        }
        // In quotes, as the least number is none of 64 bits to PostgreSQL without its sign.
        let keys = deletedKeys.map { "'\($0)'" }.joined(separator: ", ")
        try deleteRows("\(keyColumn.quoted) IN (\(keys))", server)
    }

    /// Deletes the rows of objects that had another primary key before: migrations change keys.
    private func deleteStaleRows(_ server: ServerWriter) throws {
        let type = plan.mapping
        guard let keyColumn = type.keyColumn, !type.isIdentifiedByKey, !putKeys.isEmpty else {
            return
        }
        let keys = putKeys.map { "'\($0)'" }.joined(separator: ", ")
        let list = String(decoding: owners.bytes, as: UTF8.self)
        try deleteRows(
            "\(keyColumn.quoted) IN (\(keys)) AND \(type.identity.column.quoted) NOT IN (\(list))",
            server)
    }

    /// Deletes rows with those of their collections, whose owners only the rows name.
    private func deleteRows(_ condition: String, _ server: ServerWriter) throws {
        let type = plan.mapping
        let identity = type.identity.column.quoted
        let deleted = try server.execute(
            "DELETE FROM \(table(type.table)) WHERE \(try ofSource())\(condition) "
                + "RETURNING \(identity)")
        guard deleted.rowCount > 0, !type.children.isEmpty else { return }
        let list = try deleted.rows.map { try SQLLiteral.text(try $0.string(0) ?? "") }
        try deleteChildren(of: list.joined(separator: ", "), isGone: true, server)
    }

    /// - Parameter isGone: whether the owners are deleted: then the elements of properties that are
    ///   gone are, too.
    private func deleteChildren(
        of owners: String, isGone: Bool, _ server: ServerWriter
    ) throws {
        for child in plan.mapping.children where isGone || child.isRetired == nil {
            try server.execute(
                "DELETE FROM \(table(child.table)) WHERE \(try ofSource())"
                    + "\(child.ownerColumn.quoted) IN (\(owners))")
        }
    }
}
