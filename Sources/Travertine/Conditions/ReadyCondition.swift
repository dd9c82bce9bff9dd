/// The predicate of results bound to their table, and the test of its rows, made when the first row
/// is tested: many queries find their objects in an index and test none.
final class ReadyCondition {
    let condition: Condition
    private(set) lazy var test = RowTest.make(condition)

    init(_ condition: Condition) { self.condition = condition }
}
