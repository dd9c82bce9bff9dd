import Travertine

/// What is shown of a query while it runs: first that objects are searched for, then, where they go
/// to a file or a pipe, how many of them are printed.
struct QueryProgress {
    private let notice: SearchNotice
    private var bar = ProgressBar("query", .things("object"))
    /// False where the objects themselves come on the terminal.
    private let isShown = !Terminal.isOutput
    private var total: Int?

    /// - Parameter rowCount: how many objects the type has.
    init(_ rowCount: Int) { notice = SearchNotice(rowCount) }

    /// Notes that the search is over: before the first object is printed.
    func begin() { notice.end() }

    mutating func update(_ count: Int, of objects: Results<DynamicObject>) {
        guard isShown else { return }
        // They are found by now, so that counting them costs nothing.
        let total = self.total ?? objects.count
        self.total = total
        bar.update(
            done: UInt64(count), total: UInt64(total), detail: Figures.count(count, "object"))
    }

    /// Wipes what is shown.
    func clear() {
        notice.end()
        bar.clear()
    }
}
