/// Running a query again and comparing what it finds with what is remembered.
extension ResultsObservation {
    /// The difference by comparison of all objects.
    func compared(_ step: VersionStep) throws -> CollectionDifference {
        let old = try reportedKeys(step).all
        let found = try currentKeys()
        let new = found.all
        let modified = try self.modified(step)
        let movable = try self.movable(step)
        var (deletions, insertions, kept) = CollectionDifference.matches(old, new)
        let moved = Self.moved(kept) { movable?.contains(old[$0.old]) ?? true }
        var difference = CollectionDifference()
        for (element, isMoved) in zip(kept, moved) {
            if isMoved {
                deletions.append(element.old)
                insertions.append(element.new)
            } else if modified(old[element.old]) {
                difference.modifications.append(element.old)
            }
        }
        difference.deletions = deletions
        difference.insertions = insertions
        difference.sort()
        keys = found
        unreported = nil
        return difference
    }

    /// The difference of a collection whose elements and their order are the same.
    func modifications(_ step: VersionStep) throws -> CollectionDifference {
        guard step.concerns(watched.types) else { return CollectionDifference() }
        let modified = try self.modified(step)
        var difference = CollectionDifference()
        for (position, key) in try reportedKeys(step).all.enumerated() where modified(key) {
            difference.modifications.append(position)
        }
        return difference
    }

    private func modified(_ step: VersionStep) throws -> (ResultKey) -> Bool {
        let keys = try modifiedKeys(step).merging(unreported ?? [:]) { $0.union($1) }
        return { keys[$0.part]?.contains($0.key) ?? false }
    }

    /// The objects that may be moved; nil for all. In results of tables these are the ones that
    /// changed in what they are sorted by: all others have the same order in all versions.
    private func movable(_ step: VersionStep) throws -> Set<ResultKey>? {
        guard state.source == nil, unreported == nil, let order = watched.order else { return nil }
        return try affected(order, step)
    }

    /// Which of the elements in both versions were moved.
    static func moved(
        _ kept: [KeptElement], _ isMovable: (KeptElement) -> Bool
    ) -> [Bool] {
        var staying: [Int] = []
        var indices: [Int] = []
        var elements: [MovableElement] = []
        for (index, element) in kept.enumerated() {
            if isMovable(element) {
                indices.append(index)
                elements.append(
                    MovableElement(
                        old: element.old, new: element.new, oldGap: staying.count, newGap: 0))
            } else {
                staying.append(element.new)
            }
        }
        guard !elements.isEmpty else { return [Bool](repeating: false, count: kept.count) }
        assert(zip(staying, staying.dropFirst()).allSatisfy { $0 < $1 }, "what stays has one order")
        for index in elements.indices {
            let new = elements[index].new
            elements[index].newGap = staying.partitioningIndex { $0 > new }
        }
        var isMoved = [Bool](repeating: false, count: kept.count)
        for (index, moved) in zip(indices, CollectionDifference.moved(elements)) {
            isMoved[index] = moved
        }
        return isMoved
    }
}
