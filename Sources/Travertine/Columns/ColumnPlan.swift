import OrderedIndex
import TravertineStore

/// Which columns a scan of one table needs, and what they are built from; for any thread, as long
/// as the snapshot is held.
struct ColumnPlan: Sendable {
    let access: ReadAccess
    let cache: ColumnCache
    let type: TypeDescription
    /// Where layouts are.
    let schemaKeyspace: KeyspaceID
    let subjects: [ColumnSubject]
    /// The slots of the properties.
    let slots: [Int]
    /// The numbers that stand for the subjects in keys.
    private let numbers: [UInt32]

    /// Nil if a property has no columns.
    init?(
        _ table: TableState, _ access: ReadAccess, _ cache: ColumnCache, _ sources: [ColumnSource]
    ) {
        var subjects: [ColumnSubject] = []
        for source in sources {
            guard let subject = ColumnSubject(source, table) else { return nil }
            subjects.append(subject)
        }
        self.access = access
        self.cache = cache
        type = table.type
        schemaKeyspace = table.session.shared.schemaKeyspace
        self.subjects = subjects
        slots = sources.map(\.slot)
        numbers = subjects.map { cache.number(of: $0) }
    }

    /// Loads the columns of a leaf if all are there.
    func find(_ leaf: LeafEntries, into columns: inout [LeafColumn]) -> Bool {
        columns.removeAll(keepingCapacity: true)
        for number in numbers {
            guard let found = cache.column(ColumnCache.Key(node: leaf.node, subject: number)) else {
                return false
            }
            columns.append(found)
        }
        return true
    }

    /// Keeps the columns of a leaf.
    func keep(_ columns: [LeafColumn], of leaf: LeafEntries) {
        for (number, column) in zip(numbers, columns) {
            cache.keep(column, ColumnCache.Key(node: leaf.node, subject: number))
        }
    }
}
