import Travertine

/// The bar of a query that prints to a file or a pipe: how many of the objects it found are printed.
struct QueryProgress {
    private var bar = ProgressBar("query")
    /// False where the objects themselves come on the terminal.
    private let isShown = !Terminal.isOutput
    private var total: Int?

    mutating func update(_ count: Int, of objects: Results<DynamicObject>) {
        guard isShown else { return }
        // They are found by now, so that counting them costs nothing.
        let total = self.total ?? objects.count
        self.total = total
        bar.update(
            done: UInt64(count), total: UInt64(total), detail: Figures.count(count, "object"))
    }

    func clear() { bar.clear() }
}
