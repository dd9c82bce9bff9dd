import TravertineStore

/// Following single changes through the remembered keys: the cost is that of the changed objects.
extension ResultsObservation {
    /// Of how many changed objects at least the query runs again, and of which part of the results:
    /// of sorted ones of a smaller one, since each object is looked for by comparing rows.
    static let candidateCountMin = 64
    static let part = 8
    private static let sortedPart = 32

    /// How many changed objects are looked up to find that the results have none of them.
    private static let lookedUpCountMax = 16

    /// Whether the results had none of the changed objects, and have none now: then they do not
    /// differ. Also false where more than a few look-ups would be needed to know.
    func hasNone(of step: VersionStep) throws -> Bool {
        let watched = watched
        guard let keys, !watched.hasWays, watched.membership != nil, state.source == nil,
            state.descriptors.isEmpty
        else { return false }
        var count = 0
        for (part, table) in state.tables.enumerated() {
            guard let changes = step.changes(of: table) else { continue }
            count += changes.inserted.count + changes.deleted.count + changes.modified.count
            guard count <= Self.lookedUpCountMax else { return false }
            func has(_ key: UInt64) throws -> Bool {
                let key = ResultKey(key: key, part: UInt32(part))
                return try keys.key(at: keys.place { $0.precedes(key) }) == key || isMember(key)
            }
            if try changes.inserted.contains(where: has) || changes.deleted.contains(where: has)
                || changes.modified.contains(where: { try has($0.key) })
            {
                return false
            }
        }
        return true
    }

    /// The difference; nil if the results are not ones that can be followed, or if so much changed
    /// that comparing costs less.
    func followed(_ step: VersionStep) throws -> CollectionDifference? {
        guard let sorting = state.sortingOnly, let membership = watched.membership,
            let order = watched.order
        else { return nil }
        if sorting.isEmpty { return try merged(step, membership) }
        var keys = try reportedKeys(step)
        let limit = max(Self.candidateCountMin, keys.count / Self.sortedPart)
        var comers: Set<ResultKey> = []
        for (part, table) in state.tables.enumerated() {
            guard let affected = try allAffected(membership[part], step) else { return nil }
            if affected.count > limit { return nil }
            for key in affected { comers.insert(ResultKey(key: key, part: UInt32(part))) }
            guard let changes = step.changes(of: table) else { continue }
            if changes.inserted.count + changes.deleted.count > limit { return nil }
            for key in changes.inserted + changes.deleted {
                comers.insert(ResultKey(key: key, part: UInt32(part)))
            }
        }
        let movers = try affected(order, step)
        let modified = try affected(watched.modification, step)
        let candidates = comers.union(movers).union(modified)
        if candidates.count > limit { return nil }
        if candidates.isEmpty { return CollectionDifference() }
        // Nothing else has the keys while they are changed, so that they are not copied.
        self.keys = nil
        let places = OrderOfKeys(state, sorting)
        let old = try places.positions(of: candidates, in: keys, step)
        let isMember = try members(comers.union(movers))
        let difference = try follow(
            &keys, places, old: old, comers: comers, movers: movers, modified: modified, isMember)
        self.keys = keys
        return difference
    }

    /// Which of the objects are among the results now.
    private func members(_ candidates: Set<ResultKey>) throws -> Set<ResultKey> {
        try candidates.filter { try isMember($0) }
    }

    func isMember(_ key: ResultKey) throws -> Bool {
        let part = key.part == 0 ? state : state.derived[Int(key.part) - 1]
        guard let row = try session.access.value(forKey: key.key, in: part.table.rows) else {
            return false
        }
        session.noteVisit(.row)
        guard let test = part.readyTest() else { return true }
        return try test.matches(row, try part.table.binding(of: row), key.key)
    }

    private func follow(
        _ keys: inout ResultKeys, _ places: OrderOfKeys, old: [ResultKey: Int],
        comers: Set<ResultKey>, movers: Set<ResultKey>, modified: Set<ResultKey>,
        _ isMember: Set<ResultKey>
    ) throws -> CollectionDifference {
        var removed: [(position: Int, key: ResultKey)] = []
        var inserted: [ResultKey] = []
        for key in comers.union(movers) {
            let stays = old[key] != nil && isMember.contains(key) && !movers.contains(key)
            if stays { continue }
            if let position = old[key] { removed.append((position, key)) }
            if isMember.contains(key) { inserted.append(key) }
        }
        removed.sort { $0.position < $1.position }
        for (position, _) in removed.reversed() { keys.remove(at: position) }
        for key in inserted { keys.insert(key, at: try places.place(of: key, in: keys)) }
        var new: [ResultKey: Int] = [:]
        for key in inserted { new[key] = keys.position(of: try places.place(of: key, in: keys)) }
        let insertions = new.values.sorted()
        var movable: [MovableElement] = []
        var difference = CollectionDifference(insertions: insertions)
        for (index, (position, key)) in removed.enumerated() {
            guard let newPosition = new[key] else {
                difference.deletions.append(position)
                continue
            }
            let before = insertions.partitioningIndex { $0 >= newPosition }
            movable.append(
                MovableElement(
                    old: position, new: newPosition, oldGap: position - index,
                    newGap: newPosition - before))
        }
        var unmoved: Set<Int> = []
        var unmovedNew: Set<Int> = []
        for (element, isMoved) in zip(movable, CollectionDifference.moved(movable)) {
            if isMoved {
                difference.deletions.append(element.old)
            } else {
                unmoved.insert(element.old)
                unmovedNew.insert(element.new)
            }
        }
        difference.insertions.removeAll { unmovedNew.contains($0) }
        let removedPositions = Set(removed.map(\.position))
        for key in modified {
            guard let position = old[key],
                !removedPositions.contains(position) || unmoved.contains(position)
            else { continue }
            difference.modifications.append(position)
        }
        difference.sort()
        return difference
    }
}

extension ResultsState {
    /// What the results are sorted by, none for the order of keys; nil if more is done than that.
    fileprivate var sortingOnly: [SortDescriptor]? {
        guard source == nil else { return nil }
        switch descriptors.count {
        case 0: return []
        case 1:
            if case .sorted(let sorting) = descriptors[0] { return sorting }
            return nil
        default: return nil
        }
    }
}

/// The order that sorted results have their objects in.
private struct OrderOfKeys {
    private let state: ResultsState
    private let sorter: RowSorter

    init(_ state: ResultsState, _ sorting: [SortDescriptor]) {
        self.state = state
        sorter = RowSorter(sorting, state.tables)
    }

    /// The positions of the objects that are among the keys of the step's older version.
    func positions(
        of candidates: Set<ResultKey>, in keys: ResultKeys, _ step: VersionStep
    ) throws -> [ResultKey: Int] {
        try step.session.showing(step.older) {
            var positions: [ResultKey: Int] = [:]
            for key in candidates where try row(key) != nil {
                let place = try place(of: key, in: keys)
                if keys.key(at: place) == key { positions[key] = keys.position(of: place) }
            }
            return positions
        }
    }

    /// Where a key is, or belongs, in the order of the version that the session shows.
    func place(of key: ResultKey, in keys: ResultKeys) throws -> ResultKeys.Place {
        guard let wanted = try row(key) else { throw state.table.damagedRow() }
        return try keys.place { other in
            guard let row = try row(other) else { throw state.table.damagedRow() }
            let order = try sorter.order(row, wanted)
            return order < 0 || order == 0 && other.precedes(key)
        }
    }

    private func row(_ key: ResultKey) throws -> FoundRow? {
        let table = key.part == 0 ? state.table : state.derived[Int(key.part) - 1].table
        state.session.noteVisit(.row)
        return try state.session.access.value(forKey: key.key, in: table.rows).map {
            FoundRow(key: key.key, bytes: $0, part: Int(key.part))
        }
    }
}
