import SegmentLog

/// What is between the position of a feed and a newer state, for layers that read values from that
/// state: which keys changed, and not in which order.
extension Feed {
    /// What there is.
    package enum ChangedKeys {
        /// No other key than those that were visited differs between the position of the feed and
        /// the state.
        case visited(Target)
        /// The consumer needs all of the state, for a reason.
        case unknown(FeedSnapshotReason)
    }

    /// A state that the consumer may come to have.
    package struct Target {
        let place: LogPlace?
        let snapshot: Snapshot
        /// Whether the keys are those of the difference of two states: a key that was written again
        /// with the same value is none of them.
        package let isDifference: Bool
        /// The position that stands for it.
        package let position: FeedPosition
    }

    /// The newest commit, which is durable.
    package func newest() throws(StoreError) -> Snapshot { try source.newest() }

    /// Calls `body` with keyspaces and keys, again and again the same ones, among which are all
    /// that differ between the position of the feed and a state. Moves nothing.
    ///
    /// Costs reading the log in between; where that is gone, the difference of the two states.
    ///
    /// - Parameter earliest: objects that commits up to there had added may be gone: a consumer
    ///   that has not come so far gets all of the state (`missedObjects`).
    /// - Throws: as `read`; `body` must not use the feed.
    package func visitChangedKeys(
        until snapshot: Snapshot, earliest: UInt64,
        _ body: (KeyspaceID, UnsafeRawBufferPointer) throws -> Void
    ) throws -> ChangedKeys {
        try goOn(in: snapshot)
        guard let cursor else { return .unknown(try requiredRecord().reason) }
        var place = cursor.place
        let lsn = place?.lsn.rawValue ?? 0
        let misses = lsn < earliest
        // Then only whether the log has the place counts.
        let limit = misses ? min(lsn, snapshot.lsn) : snapshot.lsn
        let found = try withoutActuallyEscaping(body) { body in
            var visitor = KeyVisitor(body: body)
            do {
                return try snapshot.store.log.read(
                    after: &place, through: LSN(rawValue: limit),
                    isCertain: cursor.isCertain, visitor: &visitor)
            } catch let error as ConsumerError {
                throw error.error
            } catch {
                throw StoreError(anyError: error)
            }
        }
        switch found {
        case .reached, .stopped:
            if misses { return .unknown(.missedObjects) }
            return .visited(target(place, snapshot, isDifference: false))
        case .missing:
            // A snapshot that was held for long may be older than what is left of the log.
            guard !misses, let place = try knownPlace(of: snapshot), let base,
                base.store.log.identity == snapshot.store.log.identity
            else { return .unknown(.fellBehind) }
            let changes = try snapshot.changes(since: base)
            while try changes.next() {
                try changes.key.withUnsafeBytes { try body(changes.keyspace.identifier, $0) }
            }
            return .visited(target(place, snapshot, isDifference: true))
        case .otherHistory:
            return .unknown(.otherHistory)
        }
    }

    /// Keeps the log from a state on, whose snapshot the consumer is about to be shown.
    package func beginSnapshot(
        of snapshot: Snapshot, _ reason: FeedSnapshotReason
    ) throws(StoreError) -> Target {
        target(try beginSnapshot(snapshot, reason), snapshot, isDifference: false)
    }

    /// The consumer was shown all up to a state.
    ///
    /// - Parameter isEmpty: whether that was nothing.
    package func didShow(_ target: Target, isEmpty: Bool) throws(StoreError) {
        let shown = cursor?.shown
        move(to: target.place, target.snapshot)
        guard isEmpty else { return }
        cursor?.shown = shown
        try advance()
    }

    private func target(
        _ place: LogPlace?, _ snapshot: Snapshot, isDifference: Bool
    ) -> Target {
        Target(
            place: place, snapshot: snapshot, isDifference: isDifference,
            position: position(at: place))
    }

    /// Visits the keys of puts and deletions, rolled-back ones at the end among them.
    private struct KeyVisitor: RecoveryVisitor {
        let body: (KeyspaceID, UnsafeRawBufferPointer) throws -> Void

        mutating func beginTransaction(firstLSN: LSN) {}

        mutating func record(_ record: RecoveredRecord) throws {
            guard record.kind == .put || record.kind == .delete, record.keyspace != .system
            else { return }
            do {
                try body(record.keyspace, record.key)
            } catch {
                throw ConsumerError(error: error)
            }
        }

        mutating func endTransaction(lastLSN: LSN) {}
    }
}
