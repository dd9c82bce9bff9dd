import TravertineStore

/// Following changes of results in the order of keys: what may have changed is a list in that
/// order, and one pass finds where it is, however much it is.
extension ResultsObservation {
    /// The difference; nil if so many objects may have come or gone that running the query again
    /// costs less.
    func merged(_ step: VersionStep, _ membership: [WatchedNode]) throws -> CollectionDifference? {
        let watched = watched
        var keys = try reportedKeys(step)
        var remaining = Swift.max(Self.candidateCountMin, keys.count / Self.part)
        var candidates: [ResultKeys.Candidate] = []
        for (part, table) in state.tables.enumerated() {
            guard var comers = try allAffected(membership[part], step) else { return nil }
            if let changes = step.changes(of: table) {
                comers = Self.union(comers, Self.union(changes.inserted, changes.deleted))
            }
            remaining -= comers.count
            if remaining < 0 { return nil }
            let modified = try affectedList(watched.modification[part], part: part, step)
            try add(comers, modified, part: part, to: &candidates)
        }
        if candidates.isEmpty { return CollectionDifference() }
        // Nothing else has the keys while they are changed, so that they are not copied.
        self.keys = nil
        let difference = keys.merge(candidates)
        self.keys = keys
        return difference
    }

    /// Whether the results have the order of keys in every version.
    var isInOrderOfKeys: Bool { state.source == nil && state.descriptors.isEmpty }

    /// The difference of results in the order of keys, of which the query finds the new ones.
    func comparedInOrder(_ step: VersionStep) throws -> CollectionDifference {
        let old = try reportedKeys(step)
        var modified: [ResultKey] = []
        for (part, node) in watched.modification.enumerated() {
            modified += try affectedList(node, part: part, step).map {
                ResultKey(key: $0, part: UInt32(part))
            }
        }
        let new = try currentKeys()
        let difference = old.difference(to: new, modified: modified)
        keys = new
        return difference
    }

    private func add(
        _ comers: [UInt64], _ modified: [UInt64], part: Int,
        to candidates: inout [ResultKeys.Candidate]
    ) throws {
        candidates.reserveCapacity(candidates.count + comers.count + modified.count)
        var next = 0
        func addModified() {
            let key = ResultKey(key: modified[next], part: UInt32(part))
            candidates.append(.init(key: key, isMember: nil, isModified: true))
            next += 1
        }
        for comer in comers {
            while next < modified.count, modified[next] < comer { addModified() }
            let isModified = next < modified.count && modified[next] == comer
            if isModified { next += 1 }
            let key = ResultKey(key: comer, part: UInt32(part))
            candidates.append(
                .init(key: key, isMember: try isMember(key), isModified: isModified))
        }
        while next < modified.count { addModified() }
    }

    /// Two ascending lists as one.
    private static func union(_ first: [UInt64], _ second: [UInt64]) -> [UInt64] {
        if first.isEmpty { return second }
        if second.isEmpty { return first }
        var both: [UInt64] = []
        both.reserveCapacity(first.count + second.count)
        var next = 0
        for number in first {
            while next < second.count, second[next] <= number {
                if second[next] < number { both.append(second[next]) }
                next += 1
            }
            both.append(number)
        }
        return both + second[next...]
    }
}
