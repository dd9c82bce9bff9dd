import TravertineStore

extension RealmCollection {
    /// The first elements, at most so many of them, live and in their order.
    ///
    /// ```swift
    /// let largest = cities.sorted(by: \.population, ascending: false).limit(10)
    /// ```
    /// A condition, sorting and further limits that follow are on these elements only. Without
    /// sorting the search ends with the last one of them; with it no more than so many are kept.
    public func limit(_ count: Int) -> Results<Element> {
        require(count >= 0, "A limit of \(count) is not possible: it is 0 or more.")
        return Results(_results.state.arranged(by: .limited(offset: 0, count: count)))
    }

    /// The elements after the first ones, of which so many are left out, live and in their order.
    ///
    /// What follows is on the elements that are left, as after ``limit(_:)``.
    /// `offset(20).limit(10)` is the third page of ten, `limit(10).offset(20)` is empty.
    public func offset(_ count: Int) -> Results<Element> {
        require(count >= 0, "An offset of \(count) is not possible: it is 0 or more.")
        return Results(_results.state.arranged(by: .limited(offset: count, count: .max)))
    }

    /// Elements that are chosen at random, at most so many of them, each once and in random order.
    ///
    /// All sets of elements are equally likely. Goes over all elements; makes handles only of those
    /// that are chosen.
    public func randomSample(
        _ count: Int, using generator: inout some RandomNumberGenerator
    ) -> [Element] {
        require(count >= 0, "A sample of \(count) is not possible: it is 0 or more.")
        return _results.sample(count, &generator)
    }

    /// Elements that are chosen at random, at most so many of them, each once and in random order.
    public func randomSample(_ count: Int) -> [Element] {
        var generator = SystemRandomNumberGenerator()
        return randomSample(count, using: &generator)
    }
}

extension Results {
    /// A sample from a reservoir: the n-th row takes the place of any of the first n, if one of
    /// these is still in.
    fileprivate func sample(
        _ count: Int, _ generator: inout some RandomNumberGenerator
    ) -> [Element] {
        state.read([]) {
            var chosen: [FoundRow] = []
            var seenCount = 0
            if count > 0 {
                _ = try state.session.access
                try state.forEachResult { row in
                    seenCount += 1
                    if chosen.count < count {
                        chosen.append(row)
                        return
                    }
                    let place = Int.random(in: 0..<seenCount, using: &generator)
                    if place < count { chosen[place] = row }
                }
            }
            chosen.shuffle(using: &generator)
            return chosen.compactMap(makeIfPossible)
        }
    }
}
