import OrderedIndex
import TravertineStore

/// A condition on how many links by one property lead to each object of a table, which entries of
/// backlinks answer without a row.
///
/// Entries have their target first, so that all of one object follow one another; an object that
/// nothing links to has none.
struct LinkCountQuery {
    private let table: TableState
    private let access: ReadAccess
    private let keyspace: KeyspaceID
    private let comparison: LinkCountComparison

    /// Nil for another condition, for links that name the types of their targets or come from
    /// derived classes too, and in a transaction, whose nodes may still change.
    init?(_ condition: Condition, in table: TableState) throws {
        guard case .other(let test as OperandTest) = condition,
            let (reader, operation, number) = test.comparedCount,
            let property = reader.countedLinks(to: table)
        else { return nil }
        let access = try table.session.access
        guard access.isOfSnapshot, table.session.columns.isUsed else { return nil }
        self.table = table
        self.access = access
        keyspace = property.backlinks
        comparison = LinkCountComparison(operation: operation, number: number)
    }

    /// The number of objects that fulfil the condition: of what did not change since it was counted
    /// last, from the summaries of the index's nodes. They are kept of what is asked again.
    func count() throws -> Int {
        let held = table.session.snapshot
        defer { withExtendedLifetime(held) {} }
        let cache = table.session.columns.summaries
        let subject = SummarySubject.links(comparison)
        let links = try SummaryPass.total(
            access, of: keyspace, LinkCounter(comparison: comparison), subject, cache,
            isKept: { cache.isSeen(subject, in: keyspace) })
        if !comparison.holds(0) { return links.matchCount }
        return links.matchCount + max(0, access.count(in: table.rows) - links.targetCount)
    }
}

/// Counts the links of the entries of leaves.
private struct LinkCounter: LeafSummarizer {
    let comparison: LinkCountComparison

    mutating func summary(of leaf: LeafEntries) -> LinkCountSummary {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: LeafEntries.countMax) { targets in
            var summary = LinkCountSummary(comparison)
            guard let targets = targets.baseAddress else { return summary }
            leaf.copyNumbers(to: targets)
            let (values, stride) = leaf.values
            for position in 0..<leaf.count {
                let count = (values + position &* stride).loadUnaligned(as: UInt64.self)
                summary.add(Int64(clamping: count), to: targets[position], comparison)
            }
            return summary
        }
    }
}

extension PropertyReader {
    /// The property whose links to objects of a table the reader counts, from one class; else nil.
    fileprivate func countedLinks(to table: TableState) -> StoredProperty? {
        guard countsElements, hops.isEmpty, steps.isEmpty, element == nil,
            case .inverse(let hop) = end, hop.derived.isEmpty, hop.table === table
        else { return nil }
        let property = hop.target.properties[hop.slot]
        guard property.type == .object, property.backlinks != .absent,
            session.table(named: property.target) === table
        else { return nil }
        return property
    }
}
