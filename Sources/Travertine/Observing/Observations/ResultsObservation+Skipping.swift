/// What a transaction changed that is not reported, added to keys that lack what others changed
/// before it (O-L3).
extension ResultsObservation {
    /// What a transaction changed of a collection: positions in the states before and after it,
    /// where an element that was moved is a deletion and an insertion.
    struct OwnChanges {
        let before: [ResultKey]
        let after: [ResultKey]
        var deletions: [Int]
        var insertions: [Int]
        /// The elements that neither came, went nor were moved.
        var staying: [KeptElement]
        /// Whether an object can be among the elements more than once.
        let mayRepeat: Bool
    }

    /// What a transaction changed, the session showing what it committed.
    func ownChanges(_ own: VersionStep) throws -> OwnChanges {
        let before = try session.showing(own.older) { try currentKeys() }.all
        let after = try currentKeys().all
        let (deletions, insertions, kept) = CollectionDifference.matches(before, after)
        var changes = OwnChanges(
            before: before, after: after, deletions: deletions, insertions: insertions,
            staying: [], mayRepeat: state.source?.isList ?? false)
        for (element, isMoved) in zip(kept, Self.moved(kept) { _ in true }) {
            if isMoved {
                changes.deletions.append(element.old)
                changes.insertions.append(element.new)
            } else {
                changes.staying.append(element)
            }
        }
        return changes
    }
}

extension ResultKeys {
    /// These keys, which may be those of another version, with the changes of a transaction: what
    /// it inserted comes before what follows there and is here, too.
    func adding(_ own: ResultsObservation.OwnChanges, isInOrderOfKeys: Bool) -> ResultKeys {
        var all = self.all
        if isInOrderOfKeys {
            let changed = Set(own.deletions.map { own.before[$0] })
                .union(own.insertions.map { own.after[$0] })
            let others = all.filter { !changed.contains($0) }
            all = others + own.insertions.map { own.after[$0] }
            return ResultKeys(all.sorted { $0.precedes($1) })
        }
        let (unknown, _, common) = CollectionDifference.matches(all, own.before)
        var isRemoved = [Bool](repeating: false, count: all.count)
        /// Where an element of the state before the transaction is here.
        var places = [Int](repeating: -1, count: own.before.count)
        for element in common { places[element.new] = element.old }
        for position in own.deletions where places[position] >= 0 {
            isRemoved[places[position]] = true
        }
        if !own.mayRepeat {
            let inserted = Set(own.insertions.map { own.after[$0] })
            for place in unknown where inserted.contains(all[place]) { isRemoved[place] = true }
        }
        /// What is inserted before each place, last ones first.
        var insertions: [Int: [ResultKey]] = [:]
        var next = all.count
        var staying = own.staying.sorted { $0.new < $1.new }[...]
        for position in own.insertions.sorted(by: >) {
            while let last = staying.last, last.new > position {
                if places[last.old] >= 0 { next = places[last.old] }
                staying.removeLast()
            }
            insertions[next, default: []].append(own.after[position])
        }
        var keys: [ResultKey] = []
        for place in 0...all.count {
            keys += (insertions[place] ?? []).reversed()
            if place < all.count, !isRemoved[place] { keys.append(all[place]) }
        }
        return ResultKeys(keys)
    }
}
