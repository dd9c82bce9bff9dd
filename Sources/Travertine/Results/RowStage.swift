/// A step of a query that takes rows one after the other and keeps their order.
class RowStage {
    /// Whether the row passes; rows come in the order of the results.
    func takes(_ row: FoundRow) throws -> Bool { true }

    /// Whether no further row can pass.
    var isFull: Bool { false }

    /// The step that a descriptor is; nil for sorting, which needs all rows at once.
    static func make(_ descriptor: ResultsDescriptor, _ state: ResultsState) -> RowStage? {
        switch descriptor {
        case .sorted: nil
        case .distinct(let names): DistinctRows(names, state)
        case .limited(let offset, let count): RowLimit(offset: offset, count: count)
        case .filtered(let predicate): RowFilter(predicate, state)
        }
    }
}

/// Skips rows, and then takes so many.
final class RowLimit: RowStage {
    private var skippedCount: Int
    private var leftCount: Int

    init(offset: Int, count: Int) {
        skippedCount = offset
        leftCount = count
    }

    override var isFull: Bool { leftCount == 0 }

    override func takes(_ row: FoundRow) -> Bool {
        if skippedCount > 0 {
            skippedCount -= 1
            return false
        }
        guard leftCount > 0 else { return false }
        leftCount -= 1
        return true
    }
}

/// Takes the rows that fulfil a condition that comes after a limit.
final class RowFilter: RowStage {
    private let predicate: Predicate
    private let state: ResultsState
    /// The condition made ready for the rows of each table that was found so far.
    private var tests: [UInt32: RowTest] = [:]

    init(_ predicate: Predicate, _ state: ResultsState) {
        self.predicate = predicate
        self.state = state
    }

    override func takes(_ row: FoundRow) throws -> Bool {
        // A condition on an object is on none that is nil.
        if row.isElement { return false }
        let table = state.table(of: row)
        let test = tests[row.part] ?? state.laterTest(predicate, table)
        tests[row.part] = test
        return try test.matches(row.bytes, try table.binding(of: row.bytes), row.key)
    }
}
