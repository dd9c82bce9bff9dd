import OrderedIndex
import TravertineStore

/// What aggregates need of a property of all rows of a table: how many values there are, their sum
/// and their bounds, from the summaries of the index's nodes.
struct PropertySummary {
    let summary: ValueSummary
    let type: PropertyType

    /// Nil for a property without columns, in a transaction, and where a stored number is none of
    /// the declared type's.
    static func of(
        _ slot: Int, _ table: TableState, _ access: ReadAccess, range: ClosedRange<Int64>?
    ) throws -> PropertySummary? {
        let cache = table.session.columns
        let source = ColumnSource(slot: slot)
        guard access.isOfSnapshot, cache.isUsed,
            let subject = ColumnSubject(source, table), subject.type != .object, !subject.isText,
            let columns = try? LeafColumns(table, access, cache, [source])
        else { return nil }
        let summary = try columns.summary(
            of: .property(subject), ValueSummarizer(columns: columns))
        if let range, summary.count > 0,
            !range.contains(Int64(bitPattern: summary.least ^ 1 << 63))
                || !range.contains(Int64(bitPattern: summary.greatest ^ 1 << 63))
        {
            return nil
        }
        return PropertySummary(summary: summary, type: subject.type)
    }

    /// The stored word of a value with a place in the order.
    func word(ofOrder order: UInt64) -> Int64 {
        switch type {
        case .double, .date, .float:
            let bits =
                order == 0 ? Double.nan.bitPattern : order >> 63 == 1 ? order ^ 1 << 63 : ~order
            if type != .float { return Int64(bitPattern: bits) }
            return Int64(Float(Double(bitPattern: bits)).bitPattern)
        default: return Int64(bitPattern: order ^ 1 << 63)
        }
    }
}

private struct ValueSummarizer: LeafSummarizer {
    let columns: LeafColumns
    var loaded: [LeafColumn] = []

    mutating func summary(of leaf: LeafEntries) throws -> ValueSummary {
        _ = try columns.load(leaf, into: &loaded)
        return unsafeDowncast(loaded[0], to: Column.self).summary
    }
}
