/// Documents that are held back, found by what they wait for and by what they make.
struct HeldDocuments {
    private var byOwn: [LinkTarget: HeldDocument] = [:]
    /// The objects that wait for a target, some of which may be held no more.
    private var waiting: [LinkTarget: [LinkTarget]] = [:]

    var count: Int { byOwn.count }

    /// Holds a document; an earlier one of the same object is replaced, as it would be if it had
    /// been stored.
    mutating func hold(_ held: HeldDocument) {
        if let other = byOwn[held.own], other.position > held.position { return }
        byOwn[held.own] = held
        guard let first = held.missing.first?.target else { return }
        waiting[first, default: []].append(held.own)
    }

    /// Forgets the document of an object that a later one made.
    mutating func forget(_ own: LinkTarget) { byOwn[own] = nil }

    /// Takes out the documents that wait for a target first of all, in the order they came in.
    mutating func take(waitingFor target: LinkTarget) -> [HeldDocument] {
        guard let owners = waiting.removeValue(forKey: target) else { return [] }
        let ready = owners.compactMap { own -> HeldDocument? in
            guard let held = byOwn[own], held.missing.first?.target == target else { return nil }
            byOwn[own] = nil
            return held
        }
        return ready.sorted { $0.position < $1.position }
    }

    /// Takes everything out: documents whose targets are there or made by others of them, in groups
    /// of which none needs another, and those that lack a target.
    ///
    /// - Parameter isThere: whether a target is stored.
    mutating func takeAll(
        _ isThere: (LinkTarget) throws -> Bool
    ) rethrows -> (
        groups: [[HeldDocument]], refused: [(held: HeldDocument, missing: MissingTarget)]
    ) {
        var refused: [(held: HeldDocument, missing: MissingTarget)] = []
        var dependents: [LinkTarget: [LinkTarget]] = [:]
        var pending: [(own: LinkTarget, missing: MissingTarget)] = []
        for held in byOwn.values {
            for missing in held.missing {
                if try isThere(missing.target) { continue }
                if byOwn[missing.target] == nil {
                    pending.append((held.own, missing))
                } else {
                    dependents[missing.target, default: []].append(held.own)
                }
            }
        }
        // What needs a document that is refused is refused, too.
        while let (own, missing) = pending.popLast() {
            guard let held = byOwn.removeValue(forKey: own) else { continue }
            refused.append((held, missing))
            for dependent in dependents[own] ?? [] {
                guard let missing = byOwn[dependent]?.missing.first(where: { $0.target == own })
                else { continue }
                pending.append((dependent, missing))
            }
        }
        let groups = takeGroups(dependents)
        waiting.removeAll()
        return (groups, refused.sorted { $0.held.position < $1.held.position })
    }

    /// Takes everything out in groups, each in the order it came in.
    private mutating func takeGroups(
        _ dependents: [LinkTarget: [LinkTarget]]
    ) -> [[HeldDocument]] {
        var neighbours = dependents
        for (target, owners) in dependents {
            for own in owners { neighbours[own, default: []].append(target) }
        }
        var groups: [[HeldDocument]] = []
        for first in byOwn.values.sorted(by: { $0.position < $1.position }) {
            var group: [HeldDocument] = []
            var pending = [first.own]
            while let own = pending.popLast() {
                guard let held = byOwn.removeValue(forKey: own) else { continue }
                group.append(held)
                pending += neighbours[own] ?? []
            }
            if !group.isEmpty { groups.append(group.sorted { $0.position < $1.position }) }
        }
        return groups
    }
}
