import TravertineStore

/// Several elements at once, by their positions; an `IndexSet` is such a sequence of positions.
extension List {
    /// Removes the elements at positions.
    public func remove(atOffsets offsets: some Sequence<Int>) {
        // What failed before may be why a position is not there.
        if session?.failure != nil { return }
        var runs = Self.runs(offsets)
        checkBounds(runs)
        while let run = runs.popLast() { removeSubrange(run) }
    }

    /// Moves the elements at positions, in their order, to before the element that was at `target`.
    public func move(fromOffsets offsets: some Sequence<Int>, toOffset target: Int) {
        if session?.failure != nil { return }
        let runs = Self.runs(offsets)
        checkBounds(runs)
        require(
            0...count ~= target, "Can't move to \(target): the list has \(count) elements.")
        let before = runs.reduce(0) { $0 + $1.clamped(to: 0..<target).count }
        guard let anchor else {
            let moved = runs.flatMap { elements[$0] }
            for run in runs.reversed() { removeSubrange(run) }
            insert(contentsOf: moved, at: target - before)
            return
        }
        anchor.change(()) { storage in
            var moved = ElementBatch()
            for position in runs.joined() {
                let element = try storage.batch(at: position)
                moved.bytes += element.bytes
                moved.count += element.count
            }
            for run in runs.reversed() {
                try storage.replace(run, with: ElementBatch(), isMove: true)
            }
            let position = target - before
            try storage.replace(position..<position, with: moved, isMove: true)
        }
    }

    /// Positions as ranges in ascending order.
    private static func runs(_ offsets: some Sequence<Int>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for offset in Set(offsets).sorted() {
            if let last = runs.last, last.upperBound == offset {
                runs[runs.count - 1] = last.lowerBound..<offset + 1
            } else {
                runs.append(offset..<offset + 1)
            }
        }
        return runs
    }

    private func checkBounds(_ runs: [Range<Int>]) {
        guard let first = runs.first, let last = runs.last else { return }
        let count = count
        require(
            first.lowerBound >= 0 && last.upperBound <= count,
            "Range \(first.lowerBound..<last.upperBound) is out of bounds: the list has \(count) "
                + "elements.")
    }
}
