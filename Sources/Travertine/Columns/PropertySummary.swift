import OrderedIndex
import TravertineStore

/// What aggregates need of a property of all rows of a table: how many values there are, their sum
/// and their bounds, from the summaries of the index's nodes.
struct PropertySummary {
    /// The result; `sum` is of integers only.
    var summary = ColumnCache.Summary()
    /// The sum of floating-point numbers in key order. It is added up anew each time: partial sums
    /// would change its last digits (N3).
    var doubleSum = 0.0
    private let type: PropertyType

    /// Nil for a property without columns, in a transaction, and where a stored number is none of
    /// the declared type's.
    ///
    /// - Parameters:
    ///   - addsDoubles: whether the sum of floating-point numbers is wanted.
    ///   - doubleSum: what they are added to.
    static func of(
        _ slot: Int, _ table: TableState, _ access: ReadAccess, range: ClosedRange<Int64>?,
        addsDoubles: Bool, to doubleSum: Double
    ) throws -> PropertySummary? {
        let cache = table.session.shared.columns
        guard access.isOfSnapshot, cache.isUsed,
            let subject = ColumnSubject(slot, table), subject.type != .object,
            let columns = try? LeafColumns(table, access, cache, [slot])
        else { return nil }
        var visitor = SummaryVisitor(
            columns: columns, subject: cache.number(of: SummarySubject(column: subject)),
            addsDoubles: addsDoubles && subject.kind == .double, doubleSum: doubleSum)
        try access.visitNodes(of: table.rows, &visitor)
        let summary = visitor.summaries[0]
        if let range, summary.count > 0,
            !range.contains(Int64(bitPattern: summary.least ^ 1 << 63))
                || !range.contains(Int64(bitPattern: summary.greatest ^ 1 << 63))
        {
            return nil
        }
        return PropertySummary(
            summary: summary, doubleSum: visitor.doubleSum, type: subject.type)
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

private struct SummarySubject: Hashable, Sendable {
    let column: ColumnSubject
}

private struct SummaryVisitor: NodeVisitor {
    let columns: LeafColumns
    let subject: UInt32
    /// Whether every leaf is visited, to add doubles.
    let addsDoubles: Bool
    var doubleSum: Double
    var loaded: [Column] = []
    var summaries = [ColumnCache.Summary()]

    private func known(_ node: NodeIdentity) -> ColumnCache.Summary? {
        addsDoubles
            ? nil : columns.cache.summary(ColumnCache.Key(node: node, subject: subject))
    }

    private mutating func add(_ summary: ColumnCache.Summary) {
        summaries[summaries.count - 1].add(summary)
    }

    mutating func enter(_ node: NodeIdentity) throws -> Bool {
        if let summary = known(node) {
            add(summary)
            return false
        }
        summaries.append(ColumnCache.Summary())
        return true
    }

    mutating func leave(_ node: NodeIdentity) throws {
        let summary = summaries.removeLast()
        if !addsDoubles {
            columns.cache.keep(summary, ColumnCache.Key(node: node, subject: subject))
        }
        add(summary)
    }

    mutating func visit(_ leaf: LeafEntries) throws {
        try columns.load(leaf, into: &loaded)
        add(loaded[0].summary)
        if addsDoubles { addDoubles(loaded[0]) }
    }

    private mutating func addDoubles(_ column: Column) {
        let values = column.values(as: Double.self)
        var sum = doubleSum
        if let nulls = column.nulls {
            for position in 0..<column.count where nulls[position] == 0 { sum += values[position] }
        } else {
            for position in 0..<column.count { sum += values[position] }
        }
        doubleSum = sum
    }
}
