/// What a session keeps from one transaction to the next, right as long as nobody else writes and
/// nothing is undone; then it is dropped as a whole.
struct SessionCaches {
    /// The number of the last write transaction of the realm.
    var transaction: UInt64 = 0
    /// Where the links of large lists wait.
    var unresolvedListPositions = UnresolvedListPositions()
    /// Objects by the values that entries of unique indexes have cut.
    var cutValues = CutValues()
}
