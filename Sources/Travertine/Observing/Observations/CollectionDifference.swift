/// What is different between two versions of a collection, by positions.
///
/// Removing the elements at `deletions` from the old version, last ones first, and then inserting
/// those at `insertions`, first ones first, gives the elements of the new version in their order.
struct CollectionDifference: Equatable {
    /// Positions in the old version, ascending.
    var deletions: [Int] = []
    /// Positions in the new version, ascending.
    var insertions: [Int] = []
    /// Positions in the old version, ascending, of elements that are in both and were not moved.
    var modifications: [Int] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    mutating func sort() {
        deletions.sort()
        insertions.sort()
        modifications.sort()
    }
}

/// An element that is in both versions of a collection.
struct KeptElement {
    var old: Int
    var new: Int
}

/// An element in both versions that may have another place among those that only stay.
struct MovableElement {
    var old: Int
    var new: Int
    /// How many elements that only stay come before it.
    var oldGap: Int
    var newGap: Int
}

extension CollectionDifference {
    /// Which of the movable elements were moved; they are in the order of their old positions.
    ///
    /// One was moved if other elements that stay come before it than did, or if it is not in a
    /// longest sequence of those between the same two whose order stayed. This depends on nothing
    /// else, so that all ways to find a difference find the same one.
    static func moved(_ elements: [MovableElement]) -> [Bool] {
        var isMoved = [Bool](repeating: false, count: elements.count)
        var start = 0
        while start < elements.count {
            var end = start
            var staying: [Int] = []
            while end < elements.count, elements[end].oldGap == elements[start].oldGap {
                if elements[end].newGap == elements[end].oldGap {
                    staying.append(end)
                } else {
                    isMoved[end] = true
                }
                end += 1
            }
            if staying.count > 1 {
                let isOrdered = longestAscending(staying.map { elements[$0].new })
                for (offset, index) in staying.enumerated() where !isOrdered[offset] {
                    isMoved[index] = true
                }
            }
            start = end
        }
        return isMoved
    }

    /// Of different numbers, whether each is in a longest ascending sequence of them.
    static func longestAscending(_ numbers: [Int]) -> [Bool] {
        var isIn = [Bool](repeating: false, count: numbers.count)
        /// The last number of a sequence of each length, as small as it can be.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            let length = ends.partitioningIndex { numbers[$0] >= number }
            if length > 0 { previous[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var index = ends.last ?? -1
        while index >= 0 {
            isIn[index] = true
            index = previous[index]
        }
        return isIn
    }

    /// Which elements of two versions are the same: the first of equal ones is the first, the
    /// second the second, and so on.
    ///
    /// - Returns: the positions of elements that are in one version only, and the kept elements in
    ///   the order of their old positions.
    static func matches<Identity: Hashable>(
        _ old: [Identity], _ new: [Identity]
    ) -> (deletions: [Int], insertions: [Int], kept: [KeptElement]) {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        var kept: [KeptElement] = []
        kept.reserveCapacity(min(old.count, new.count))
        for position in 0..<start { kept.append(KeptElement(old: position, new: position)) }
        var deletions: [Int] = []
        var isKept = [Bool](repeating: false, count: newEnd - start)
        var waiting = PositionsByIdentity(new[start..<newEnd])
        for position in start..<oldEnd {
            guard let found = waiting.takeFirst(old[position]) else {
                deletions.append(position)
                continue
            }
            isKept[found - start] = true
            kept.append(KeptElement(old: position, new: found))
        }
        let insertions = (start..<newEnd).filter { !isKept[$0 - start] }
        for (old, new) in zip(oldEnd..<old.count, newEnd..<new.count) {
            kept.append(KeptElement(old: old, new: new))
        }
        return (deletions, insertions, kept)
    }
}

/// The positions of elements, those of equal ones in a chain.
private struct PositionsByIdentity<Identity: Hashable> {
    private var first: [Identity: Int] = [:]
    /// The next position with the same identity, from the first position of the slice on.
    private var next: [Int]
    private let start: Int

    init(_ elements: ArraySlice<Identity>) {
        start = elements.startIndex
        next = [Int](repeating: -1, count: elements.count)
        first.reserveCapacity(elements.count)
        for position in elements.indices.reversed() {
            next[position - start] = first.updateValue(position, forKey: elements[position]) ?? -1
        }
    }

    mutating func takeFirst(_ identity: Identity) -> Int? {
        guard let position = first[identity], position >= 0 else { return nil }
        first[identity] = next[position - start]
        return position
    }
}
