import OrderedIndex
import TravertineStore

/// Finds or builds the columns of the leaves of one table, in a snapshot.
///
/// A class, so that visitors hold one reference and no copy of what it has.
final class LeafColumns {
    let table: TableState
    let access: ReadAccess
    let cache: ColumnCache
    let plan: ColumnPlan
    /// Which columns have texts.
    private let textNumbers: [Int]
    private lazy var builder = ColumnBuilder(plan)

    init(_ table: TableState, _ access: ReadAccess, _ cache: ColumnCache, _ sources: [ColumnSource])
        throws(NoColumns)
    {
        guard let plan = ColumnPlan(table, access, cache, sources) else { throw NoColumns() }
        self.table = table
        self.access = access
        self.cache = cache
        self.plan = plan
        textNumbers = plan.subjects.indices.filter { plan.subjects[$0].isText }
    }

    /// A property has no columns.
    struct NoColumns: Error {}

    var slots: [Int] { plan.slots }

    /// Loads the columns of a leaf, in the order of the sources; `columns` is used again for each
    /// leaf. False if the leaf has no column of one, because its texts are too long: then its rows
    /// must be looked at.
    ///
    /// - Throws: damage of a row; nothing is kept then.
    func load(_ leaf: LeafEntries, into columns: inout [LeafColumn]) throws -> Bool {
        if let areWhole = find(leaf, into: &columns) { return areWhole }
        columns = try build(leaf)
        plan.keep(columns, of: leaf)
        return areWhole(columns)
    }

    /// Loads the columns of a leaf if all are there, and else returns nil.
    func find(_ leaf: LeafEntries, into columns: inout [LeafColumn]) -> Bool? {
        plan.find(leaf, into: &columns) ? areWhole(columns) : nil
    }

    private func areWhole(_ columns: [LeafColumn]) -> Bool {
        for number in textNumbers
        where !unsafeDowncast(columns[number], to: TextColumn.self).hasTexts { return false }
        return true
    }

    private func build(_ leaf: LeafEntries) throws -> [LeafColumn] {
        let formerCount = builder.rowCount
        defer { table.noteVisits(.row, builder.rowCount - formerCount) }
        do {
            return try builder.build(leaf)
        } catch is ColumnBuilder.DamagedRow {
            throw table.damagedRow()
        }
    }
}
