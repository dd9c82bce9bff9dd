import PostgreSQLClient

/// Makes the tables of a mapping what they must be.
///
/// Each statement is a separate transaction, since some servers change tables in no other way,
/// and does no harm when it is run again: what a kill left half done is done at the next start.
struct ServerSchema {
    let state: SyncStateTable

    private var connection: Connection { state.connection }
    private var schema: String { state.schema }

    /// Runs the steps of a plan and stores its mapping.
    ///
    /// - Returns: the tables that are empty, as they were made now.
    func apply(_ plan: MappingPlanner, _ known: SyncState) throws -> Set<String> {
        if plan.steps.isEmpty {
            if plan.mapping != known.mapping { try state.write(plan.mapping) }
            return []
        }
        let own = Set((known.mapping?.tableNames ?? []) + known.pendingTables)
        var (steps, new) = (plan.steps, Set<String>())
        for case .createTable(let name, let columns, let key) in plan.steps {
            if own.contains(name) { continue }
            let found = try self.columns(of: name)
            if found.isEmpty {
                new.insert(name)
                continue
            }
            steps += try shared(name, columns, key, found, plan)
        }
        let added = try checkedColumns(plan.steps, known.mapping)
        let pending = new.isEmpty ? known.pendingTables : Array(own.union(new)).sorted()
        if var mapping = known.mapping, !added.isEmpty {
            mapping.pendingColumns = (mapping.pendingColumns ?? [:]).merging(
                added, uniquingKeysWith: +)
            try state.write(mapping, pendingTables: pending)
        } else if !new.isEmpty {
            try state.write(pendingTables: pending)
        }
        for step in steps {
            if case .renameColumn(let table, let from, _) = step,
                try !columns(of: table).keys.contains(from)
            {
                continue
            }
            try run(step, isNew: step.table.map { new.contains($0) } ?? false)
        }
        try state.write(plan.mapping)
        return new
    }

    /// The columns that steps add, by their tables; those that get another name among them.
    ///
    /// - Throws: `MappingRefusal` for columns of these names that neither this feed has made nor
    ///   one that shares the table: somebody else needs them.
    private func checkedColumns(
        _ steps: [SchemaStep], _ known: SyncMapping?
    ) throws -> [String: [String]] {
        var added: [String: [String]] = [:]
        for step in steps {
            switch step {
            case .addColumn(let table, let column, _): added[table, default: []].append(column.name)
            case .renameColumn(let table, _, let new): added[table, default: []].append(new)
            default: break
            }
        }
        if added.isEmpty { return [:] }
        let others = try state.otherFeeds().map(\.mapping).filter { $0.options.schema == schema }
        let mappings = others + (known.map { [$0] } ?? [])
        var problems: [String] = []
        for (table, names) in added.sorted(by: { $0.key < $1.key }) {
            let found = try columns(of: table)
            for name in names where found[name] != nil {
                if mappings.contains(where: { $0.owns(name, of: table) }) { continue }
                problems.append(
                    "\(table) has a column \(name) already, which this feed has not made. Rename it "
                        + "(ALTER TABLE … RENAME COLUMN …), or drop it.")
            }
        }
        if !problems.isEmpty { throw MappingRefusal(problems: problems) }
        return added
    }

    private func run(_ step: SchemaStep, isNew: Bool) throws {
        let statement = try step.statement(schema: schema, isNew: isNew)
        do throws(PostgreSQLError) {
            try connection.execute(statement, timeout: .seconds(3600))
        } catch {
            // Something else than a table may have the name, or somebody has just made one.
            guard error.sqlState?.code == "42P07", let table = step.table else { throw error }
            throw SyncError.tableExists(schema: schema, table, owner: nil)
        }
    }

    /// What must be added to a table of another realm so that both can share it.
    private func shared(
        _ name: String, _ columns: [SchemaStep.Column], _ key: [String],
        _ found: [String: String], _ plan: MappingPlanner
    ) throws -> [SchemaStep] {
        let owners = try state.otherFeeds().filter {
            $0.mapping.options.schema == schema && $0.mapping.tableNames.contains(name)
        }
        let sources = owners.map(\.mapping.options.source)
        // With one name for two realms each would take the other's rows for its own.
        guard let source = plan.mapping.options.source, !sources.isEmpty,
            sources.allSatisfy({ $0 != nil && $0 != source })
        else {
            throw SyncError.tableExists(
                schema: schema, name, owner: owners.first.map { ($0.store, $0.feed) })
        }
        guard try primaryKey(of: name) == Set(key) else {
            throw MappingRefusal(problems: ["\(name) has another primary key in the shared table."])
        }
        var (steps, problems): ([SchemaStep], [String]) = ([], [])
        for column in columns {
            guard let type = found[column.name] else {
                steps.append(
                    .addColumn(
                        table: name,
                        column: SchemaStep.Column(name: column.name, type: column.type),
                        value: nil))
                continue
            }
            let wanted = column.type.isArray ? "ARRAY" : column.type.base.informationName
            if type.lowercased() != wanted.lowercased() {
                problems.append(
                    "\(name).\(column.name) needs the type \(column.type.name), and is \(type) in the "
                        + "shared table.")
            }
        }
        if !problems.isEmpty { throw MappingRefusal(problems: problems) }
        return steps
    }

    private func columns(of table: String) throws -> [String: String] {
        let rows = try connection.query(
            """
            SELECT column_name, data_type FROM information_schema.columns \
            WHERE table_schema = $1 AND table_name = $2
            """,
            parameters: [.text(schema), .text(table)]
        ).rows
        var found: [String: String] = [:]
        for row in rows { found[try row.string(0) ?? ""] = try row.string(1) ?? "" }
        return found
    }

    private func primaryKey(of table: String) throws -> Set<String> {
        let rows = try connection.query(
            """
            SELECT k.column_name FROM information_schema.table_constraints c \
            JOIN information_schema.key_column_usage k ON k.constraint_name = c.constraint_name \
            AND k.table_schema = c.table_schema AND k.table_name = c.table_name \
            WHERE c.constraint_type = 'PRIMARY KEY' AND c.table_schema = $1 AND c.table_name = $2
            """,
            parameters: [.text(schema), .text(table)]
        ).rows
        return Set(try rows.compactMap { try $0.string(0) })
    }

    /// Drops the tables of a feed, and forgets it; of tables that others share only the rows are
    /// deleted.
    ///
    /// - Throws: `SyncError.tablesAreNeeded` where something depends on a table: then all is as
    ///   before.
    func drop(_ tables: [String], source: String?) throws {
        if tables.isEmpty { return }
        let added = try addedRows(in: tables, source)
        if !added.isEmpty { throw SyncError.rebuildLosesRows(added) }
        let others = Set(try state.otherFeeds().flatMap(\.mapping.tableNames))
        let before = try state.row()
        try state.forget(tables: tables)
        do throws(PostgreSQLError) {
            try dropTables(tables.filter { !others.contains($0) })
        } catch {
            guard case .server(let message) = error, message.sqlState == .dependentObjectsStillExist
            else { throw error }
            if let before { try state.restore(before) }
            let needs = message.detail?.split(separator: "\n").joined(separator: ", ")
            throw SyncError.tablesAreNeeded(needs ?? message.message)
        }
        for table in tables where others.contains(table) {
            guard let source else { continue }
            try connection.query(
                """
                DELETE FROM \(table.quoted(in: schema)) \
                WHERE \(SyncState.sourceColumn.quoted) = $1
                """,
                parameters: [.text(source)], timeout: .seconds(3600))
        }
        try state.write(nil)
    }

    /// Drops all of the tables, or none.
    private func dropTables(_ tables: [String]) throws(PostgreSQLError) {
        if tables.isEmpty { return }
        let list = tables.map { $0.quoted(in: schema) }.joined(separator: ", ")
        try connection.execute("DROP TABLE IF EXISTS \(list)", timeout: .seconds(3600))
    }

    /// The tables of asymmetric types that have rows: the realm may have them no more.
    private func addedRows(in tables: [String], _ source: String?) throws -> [String] {
        guard let mapping = try? state.read().mapping else { return [] }
        return try mapping.types.filter { $0.isAsymmetric && tables.contains($0.table) }
            .map(\.table).filter { try hasRows($0, source) }
    }

    /// Whether a table has rows, of a source if one is given; false where it is gone.
    func hasRows(_ table: String, _ source: String?) throws -> Bool {
        if try columns(of: table).isEmpty { return false }
        let condition =
            try source.map {
                " WHERE \(SyncState.sourceColumn.quoted) = \(try SQLLiteral.text($0))"
            } ?? ""
        return try connection.row(
            "SELECT 1 FROM \(table.quoted(in: schema))\(condition) LIMIT 1") != nil
    }
}

extension SQLType.Base {
    /// As `information_schema.columns` has it.
    fileprivate var informationName: String {
        self == .timestamptz ? "timestamp with time zone" : rawValue
    }
}
