import PostgreSQLClient
import Travertine

/// Finds the tables for the types of a realm, and what must change on the server for them.
///
/// What is there stays: a property keeps its column by its number, whatever its name; new ones are
/// added; the columns and tables of what is gone stay. Anything else is refused.
struct MappingPlanner {
    private(set) var mapping: SyncMapping
    private(set) var steps: [SchemaStep] = []
    /// What the user may want to know.
    private(set) var notes: [String] = []

    private var problems: [String] = []
    private var tableNames: NameAllocator
    private let types: [FeedType]
    private let byName: [String: FeedType]

    /// - Parameters:
    ///   - known: what is on the server; nil where nothing is.
    ///   - names: the stored names of the types that are wanted; nil for all.
    /// - Throws: `MappingRefusal`, with all that does not fit.
    init(
        _ types: [FeedType], names: Set<String>?, options: MappingOptions, known: SyncMapping?
    ) throws {
        mapping = known ?? SyncMapping(options: options)
        mapping.pendingColumns = nil
        self.types = types
        byName = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        tableNames = NameAllocator(tables: mapping.tableNames + [SyncState.table])
        if let known, known.options != options {
            problems.append(Self.difference(known.options, options))
        }
        for type in types where !type.isEmbedded && names?.contains(type.name) ?? true {
            if let place = mapping.types.firstIndex(where: { $0.number == type.number }) {
                try update(place, type)
            } else {
                try add(type)
            }
        }
        if !problems.isEmpty { throw MappingRefusal(problems: problems) }
    }

    /// What makes other tables than those that are there.
    static func difference(_ known: MappingOptions, _ wanted: MappingOptions) -> String {
        func text(_ options: MappingOptions) -> String {
            "--schema \(options.schema)" + (options.source.map { " --source \($0)" } ?? "")
                + " --collections \(options.collections.rawValue)"
                + " --embedded \(options.embedded.rawValue)"
                + " --object-ids \(options.objectIds.rawValue)"
        }
        return "The tables were made with \(text(known)), and these options are \(text(wanted))."
    }

    // MARK: New tables

    private mutating func add(_ type: FeedType) throws {
        let gone = mapping.types.first { known in
            known.name == type.name && !types.contains { $0.number == known.number }
        }
        if gone != nil {
            problems.append("\(type.name) was deleted and added again, and its table is there.")
            return
        }
        var names = NameAllocator(taken: NameAllocator.systemColumns)
        let options = mapping.options
        if options.source != nil { names.reserve(SyncState.sourceColumn) }
        let table = try tableNames.table(type.name)
        let key = type.primaryKey
        let isIdentifiedByKey = key.map { $0.isOptional } ?? true
        // Rows are found by it when an object is deleted, whose primary key nobody knows any more.
        let keyColumn = type.hasIntegerKeys ? nil : try names.name("_key")
        var new = TypeMapping(
            number: type.number, name: type.name, table: table, isAsymmetric: type.isAsymmetric,
            primaryKey: nil, keyColumn: keyColumn, isIdentifiedByKey: isIdentifiedByKey)
        for leaf in leaves(of: type) {
            if leaf.isChild {
                new.children.append(try child(leaf, of: new))
                continue
            }
            let column = try names.name(leaf.column)
            if leaf.path.count == 1, leaf.isPrimaryKey {
                new.primaryKey = TypeMapping.KeyColumn(
                    property: leaf.path[0], column: column, type: leaf.type)
            }
            new.columns.append(
                ColumnMapping(path: leaf.path, name: leaf.name, column: column, type: leaf.type))
        }
        create(new)
        mapping.types.append(new)
    }

    private mutating func child(_ leaf: MappingLeaf, of type: TypeMapping) throws -> ChildMapping {
        ChildMapping(
            path: leaf.path, name: leaf.name,
            table: try tableNames.table("\(type.table)_\(leaf.column)"),
            ownerColumn: try SQLIdentifier("\(type.table)_\(type.identity.column)").name,
            type: leaf.type)
    }

    private var sourceColumns: [SchemaStep.Column] {
        mapping.options.source == nil
            ? []
            : [
                SchemaStep.Column(
                    name: SyncState.sourceColumn, type: SQLType(base: .text), isRequired: true)
            ]
    }

    private mutating func create(_ type: TypeMapping) {
        var columns = sourceColumns
        let identity = type.identity.column
        if let keyColumn = type.keyColumn {
            columns.append(
                SchemaStep.Column(
                    name: keyColumn, type: SQLType(base: .bigint), isRequired: true))
        }
        columns += type.columns.map {
            SchemaStep.Column(
                name: $0.column, type: $0.type, isRequired: $0.column == identity)
        }
        let source = sourceColumns.map(\.name)
        steps.append(
            .createTable(name: type.table, columns: columns, primaryKey: source + [identity]))
        if let keyColumn = type.keyColumn, keyColumn != identity {
            addIndex(type.table, source + [keyColumn])
        }
        if let primaryKey = type.primaryKey, type.isIdentifiedByKey {
            addIndex(type.table, source + [primaryKey.column])
        }
        for child in type.children { create(child, of: type) }
    }

    private mutating func addIndex(_ table: String, _ columns: [String]) {
        let wanted = "\(table)_\(columns.joined(separator: "_"))_index"
        guard let name = try? tableNames.name(wanted) else { return }
        steps.append(.createIndex(name: name, table: table, columns: columns))
    }

    private mutating func create(_ child: ChildMapping, of type: TypeMapping) {
        let columns =
            sourceColumns + [
                SchemaStep.Column(
                    name: child.ownerColumn, type: type.identity.type, isRequired: true),
                SchemaStep.Column(
                    name: ChildMapping.positionColumn, type: SQLType(base: .bigint),
                    isRequired: true),
                SchemaStep.Column(name: ChildMapping.valueColumn, type: child.type),
            ]
        steps.append(
            .createTable(
                name: child.table, columns: columns,
                primaryKey: columns.dropLast().map(\.name)))
    }

    // MARK: Tables that are there

    private mutating func update(_ place: Int, _ type: FeedType) throws {
        var known = mapping.types[place]
        checkIdentity(of: type, known)
        if known.name != type.name {
            notes.append(
                "\(known.name) is called \(type.name) now; its table stays \(known.table).")
            known.name = type.name
        }
        var names = NameAllocator(
            taken: known.columns.map(\.column) + NameAllocator.systemColumns
                + [known.keyColumn ?? "", SyncState.sourceColumn])
        let leaves = leaves(of: type)
        for leaf in leaves {
            if let at = known.columns.firstIndex(where: { $0.path == leaf.path }), !leaf.isChild {
                try update(at, leaf, &known, &names)
            } else if let at = known.children.firstIndex(where: { $0.path == leaf.path }),
                leaf.isChild
            {
                let child = known.children[at]
                if child.type != leaf.type { report(type, leaf.name, child.type, leaf.type) }
                (known.children[at].name, known.children[at].isRetired) = (leaf.name, nil)
            } else if hasOther(leaf, than: leaves, known) {
                problems.append(
                    "\(type.name).\(leaf.name) has another type than its column or table was made for."
                )
            } else if leaf.isChild {
                let child = try child(leaf, of: known)
                create(child, of: known)
                known.children.append(child)
            } else {
                try add(leaf, to: &known, &names)
            }
        }
        retire(&known, leaves)
        mapping.types[place] = known
    }

    /// Whether a property of the same name, and with another number, had a column or a table: one
    /// that has another type now. What was gone before, or is called otherwise now, does not count.
    private func hasOther(
        _ leaf: MappingLeaf, than leaves: [MappingLeaf], _ known: TypeMapping
    ) -> Bool {
        let found =
            known.columns.filter { $0.name == leaf.name && $0.isRetired == nil }.map(\.path)
            + known.children.filter { $0.name == leaf.name && $0.isRetired == nil }.map(\.path)
        return found.contains { path in !leaves.contains { $0.path == path && $0.name != leaf.name }
        }
    }

    private mutating func checkIdentity(of type: FeedType, _ known: TypeMapping) {
        let key = type.primaryKey
        if key?.number != known.primaryKey?.property
            || type.hasIntegerKeys != (known.keyColumn == nil)
            || (key?.isOptional ?? true) != known.isIdentifiedByKey
        {
            problems.append("\(type.name) has another primary key than its table.")
        }
        if type.isAsymmetric != known.isAsymmetric {
            problems.append(
                "\(type.name) is \(type.isAsymmetric ? "" : "not ")asymmetric any more.")
        }
    }

    private mutating func report(
        _ type: FeedType, _ name: String, _ old: SQLType, _ new: SQLType
    ) {
        problems.append("\(type.name).\(name) needs the type \(new.name), and has \(old.name).")
    }

    private mutating func update(
        _ place: Int, _ leaf: MappingLeaf, _ type: inout TypeMapping,
        _ names: inout NameAllocator
    ) throws {
        var column = type.columns[place]
        if column.type != leaf.type {
            problems.append(
                "\(type.name).\(leaf.name) needs the type \(leaf.type.name), and has "
                    + "\(column.type.name).")
        }
        column.isRetired = nil
        if column.name != leaf.name, mapping.options.source != nil {
            // Other realms write the column, under the name that they know.
            notes.append(
                "\(type.name).\(column.name) is called \(leaf.name) now; its column in the shared table "
                    + "stays \(column.column).")
            column.name = leaf.name
        } else if column.name != leaf.name {
            let new = try names.name(leaf.column)
            steps.append(.renameColumn(table: type.table, from: column.column, to: new))
            if type.primaryKey?.column == column.column { type.primaryKey?.column = new }
            (column.name, column.column) = (leaf.name, new)
        }
        type.columns[place] = column
    }

    private mutating func add(
        _ leaf: MappingLeaf, to type: inout TypeMapping, _ names: inout NameAllocator
    ) throws {
        let column = try names.name(leaf.column)
        let value = try leaf.defaultLiteral()
        let siblings = type.columns.filter {
            $0.path.count >= leaf.path.count
                && $0.path.starts(with: leaf.path.dropLast()) && $0.isRetired == nil
        }.map(\.column)
        let source = mapping.options.source
        let isWhole = leaf.path.count == 1 && source == nil
        steps.append(
            .addColumn(
                table: type.table, column: SchemaStep.Column(name: column, type: leaf.type),
                value: isWhole ? value : nil))
        if isWhole, value != nil {
            steps.append(.dropDefault(table: type.table, column: column))
            // YugabyteDB does not give a default to all rows that are there; elsewhere this finds
            // nothing to do.
            if let value {
                steps.append(
                    .fill(
                        table: type.table, column: column, value: value, whereAnyOf: [],
                        source: nil))
            }
        } else if let value, leaf.path.count == 1 || !siblings.isEmpty {
            // Of an embedded object only where there is one, and only in rows of this realm.
            steps.append(
                .fill(
                    table: type.table, column: column, value: value,
                    whereAnyOf: leaf.path.count == 1 ? [] : siblings, source: source))
        }
        type.columns.append(
            ColumnMapping(path: leaf.path, name: leaf.name, column: column, type: leaf.type))
    }

    private mutating func retire(_ type: inout TypeMapping, _ leaves: [MappingLeaf]) {
        let paths = Set(leaves.map(\.path))
        for at in type.columns.indices
        where !paths.contains(type.columns[at].path) && type.columns[at].isRetired == nil {
            type.columns[at].isRetired = true
            notes.append(
                "\(type.name).\(type.columns[at].name) is gone; its column \(type.columns[at].column) "
                    + "stays, and is null in new rows.")
        }
        for at in type.children.indices
        where !paths.contains(type.children[at].path) && type.children[at].isRetired == nil {
            type.children[at].isRetired = true
            notes.append(
                "\(type.name).\(type.children[at].name) is gone; its table stays.")
        }
    }

    private func leaves(of type: FeedType) -> [MappingLeaf] {
        MappingLeaf.leaves(of: type, byName, mapping.options)
    }
}
