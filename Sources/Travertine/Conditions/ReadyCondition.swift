/// The predicate of results bound to their table, and the test of its rows, made when the first row
/// is tested: many queries find their objects in an index and test none.
final class ReadyCondition {
    let condition: Condition
    /// The realm's count of changes of tables when it was bound: slots and derived classes may be
    /// others after the next.
    let tableChangeCount: UInt64
    private(set) lazy var test = RowTest.make(condition)

    init(_ condition: Condition, _ tableChangeCount: UInt64) {
        self.condition = condition
        self.tableChangeCount = tableChangeCount
    }
}
