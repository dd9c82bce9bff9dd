import TravertineStore

/// What the block of a collection is notified of.
enum CollectionReport {
    case initial
    case update(CollectionDifference)
}

/// An observation of objects: of the results of a query, or of the objects in a collection.
///
/// The keys of the objects are remembered as of the version that the block was notified of. Small
/// changes are looked for among them (`ResultsObservation+Following`); after large ones, or where a
/// query does more than to select and to sort, it runs again and both versions are compared
/// (`ResultsObservation+Comparing`; results in the order of keys in one pass, `+Merging`). All find
/// the same difference.
final class ResultsObservation: Observation {
    let state: ResultsState
    let keyPaths: [PropertyPath]?
    private let block: (CollectionReport) -> Void
    /// The objects as of the version that was reported; nil if they must be found again.
    @exclusivity(unchecked) var keys: ResultKeys?
    /// Set after a skipped transaction of which an earlier version was not reported: `keys` are
    /// those of no version, and these objects were modified in the meantime.
    @exclusivity(unchecked) var unreported: [UInt32: Set<UInt64>]?
    @exclusivity(unchecked) private var foundWatched: WatchedResults?
    /// Whether nothing is followed, for tests of both ways.
    @exclusivity(unchecked) var comparesAlways = false
    /// How often changes were followed, for tests.
    @exclusivity(unchecked) private(set) var followedCount = 0

    init(
        _ state: ResultsState, keyPaths: [PropertyPath]?,
        _ block: @escaping (CollectionReport) -> Void
    ) {
        self.state = ResultsState(
            state.session, state.table, state.predicate, state.descriptors,
            derived: state.source == nil ? state.derived.map(\.table) : [], source: state.source)
        self.keyPaths = keyPaths
        self.block = block
        super.init(state.session)
    }

    /// What the results depend on, as the schema is now.
    var watched: WatchedResults {
        if let foundWatched, foundWatched.schemaChangeCount == session.schemaChangeCount,
            foundWatched.modification.count == state.tables.count,
            foundWatched.modification[0].table === state.table
        {
            return foundWatched
        }
        let watched = WatchedResults(state, keyPaths)
        foundWatched = watched
        return watched
    }

    /// The objects in the version that the session shows.
    func currentKeys() throws -> ResultKeys {
        guard isInOrderOfKeys else {
            return ResultKeys(try state.rows(after: state.descriptors).lazy.map { ResultKey($0) })
        }
        var builder = ResultKeys.Builder()
        try state.forEachFound {
            builder.append(ResultKey($0))
            return true
        }
        return builder.keys
    }

    /// The objects as of the version that was reported.
    func reportedKeys(_ step: VersionStep) throws -> ResultKeys {
        if let keys { return keys }
        let found = try session.showing(step.older) { try currentKeys() }
        keys = found
        return found
    }

    // MARK: What must be asked about

    @exclusivity(unchecked) private var interestBasis: WatchedResults?

    override func interest() -> Interest {
        let watched = watched
        interestBasis = watched
        guard let membership = watched.membership, let order = watched.order else {
            return .unlimited
        }
        var interest = Interest()
        for table in state.tables { interest.addMembership(of: table) }
        for node in watched.modification + membership + order { interest.add(node) }
        if let source = state.source { interest.add(source) }
        return interest
    }

    /// A collection may have got elements of other classes.
    override var interestIsCurrent: Bool { state.source == nil || interestBasis === watched }

    // MARK: Reports

    override func initialReport() throws -> (() -> Void)? {
        guard isUsable else { return nil }
        keys = try currentKeys()
        return { [block] in block(.initial) }
    }

    override func report(_ step: VersionStep) throws -> (() -> Void)? {
        guard isUsable else { return nil }
        let difference = try difference(step)
        return difference.isEmpty ? nil : { [block] in block(.update(difference)) }
    }

    /// Keys of no version could not be found again.
    override func restore() { if unreported == nil { keys = nil } }

    /// False once the realm was invalidated: then the observation ends.
    private var isUsable: Bool {
        if state.isInvalidated {
            end()
            return false
        }
        state.takeTable()
        return true
    }

    /// The difference, after which the keys are those of the step's newer version.
    func difference(_ step: VersionStep) throws -> CollectionDifference {
        if unreported != nil { return try compared(step) }
        if let source = state.source {
            if try !source.mayDiffer(in: step), state.predicate == nil, state.descriptors.isEmpty {
                return try modifications(step)
            }
            return try compared(step)
        }
        guard step.concerns(watched.types) else { return CollectionDifference() }
        if comparesAlways { return try compared(step) }
        if let difference = try hasNone(of: step) ? CollectionDifference() : followed(step) {
            followedCount += 1
            return difference
        }
        return try isInOrderOfKeys ? comparedInOrder(step) : compared(step)
    }

    // MARK: Skipped transactions

    override var owesReport: Bool { unreported != nil }

    override func skip(_ own: VersionStep, missed: VersionStep?) throws -> Bool {
        guard isUsable else { return true }
        if missed == nil, unreported == nil {
            _ = try difference(own)
            return true
        }
        // The block knows what there was before `missed`, or what an earlier skipped transaction
        // made of that, and what this one changed.
        let reported = try reportedKeys(missed ?? own)
        var owed = unreported ?? [:]
        if let missed {
            let modified = try session.showing(missed.newer) { try modifiedKeys(missed) }
            let known = Set(reported.all)
            for (part, keys) in modified {
                let keys = keys.filter { known.contains(ResultKey(key: $0, part: part)) }
                owed.merge([part: keys]) { $0.union($1) }
            }
        }
        keys = try reported.adding(ownChanges(own), isInOrderOfKeys: isInOrderOfKeys)
        unreported = owed
        return true
    }
}
