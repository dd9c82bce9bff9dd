import TravertineStore

/// Sorting in place.
///
/// The sort of the standard library sets one element after the other, which deletes embedded
/// objects, and lists and dictionaries in values of any type, that have another place a moment
/// later.
extension List {
    /// Sorts the elements in place; those of which neither comes before the other keep their order.
    ///
    /// Embedded objects, and lists and dictionaries in values of any type, stay what they are.
    /// Needs a write transaction in a managed list. Costs reading and storing the whole list once.
    /// Comparing elements must not add or remove any: that stops the program.
    public func sort(
        by areInIncreasingOrder: (Element, Element) throws -> Bool
    ) rethrows {
        if session?.failure != nil { return }
        let sorted = try Array(allElements().enumerated()).sorted {
            try areInIncreasingOrder($0.element, $1.element)
        }
        require(
            count == sorted.count,
            "The list was changed while it was being sorted. Compare its elements without adding or "
                + "removing any.")
        guard let anchor else {
            replaceSubrange(0..<count, with: sorted.map(\.element))
            return
        }
        let order = sorted.map(\.offset)
        anchor.change(()) { try $0.reorder(order) }
    }

    /// Puts the elements into the opposite order, in place, as `sort(by:)` does.
    public func reverse() {
        guard let anchor else { return replaceSubrange(0..<count, with: elements.reversed()) }
        anchor.change(()) { try $0.reorder((0..<$0.count()).reversed()) }
    }

    /// Puts the elements into an order of chance, in place, as `sort(by:)` does.
    public func shuffle(using generator: inout some RandomNumberGenerator) {
        guard let anchor else {
            return replaceSubrange(0..<count, with: elements.shuffled(using: &generator))
        }
        anchor.change(()) { try $0.reorder((0..<$0.count()).shuffled(using: &generator)) }
    }

    /// Puts the elements into an order of chance, in place, as `sort(by:)` does.
    public func shuffle() {
        var generator = SystemRandomNumberGenerator()
        shuffle(using: &generator)
    }
}

extension List where Element: Comparable {
    /// Sorts the elements in place, the smallest one first; equal ones keep their order.
    public func sort() { sort(by: <) }
}

extension CollectionStorage {
    /// Puts the elements of a list into another order, given by their positions.
    fileprivate func reorder(_ order: [Int]) throws {
        var bytes: [UInt8] = []
        var ends: [Int] = [0]
        ends.reserveCapacity(order.count + 1)
        try visitElements { element in
            run.append(element.value, to: &bytes)
            ends.append(bytes.count)
            return true
        }
        guard ends.count - 1 == order.count else { throw CollectionTree.damage }
        var batch = ElementBatch(count: order.count)
        batch.bytes.reserveCapacity(bytes.count)
        for index in order {
            batch.bytes.append(contentsOf: bytes[ends[index]..<ends[index + 1]])
        }
        try replace(0..<ends.count - 1, with: batch, isMove: true)
    }
}
