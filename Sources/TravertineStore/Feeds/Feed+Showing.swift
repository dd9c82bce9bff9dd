import SegmentLog

/// Showing snapshots and differences.
extension Feed {
    func position(at place: LogPlace?) -> FeedPosition {
        FeedPosition(store: source.identity, place: place, scope: scope)
    }

    /// Writes the place of a snapshot, from which on the log is kept, before anything of it is
    /// shown (Y2).
    func beginSnapshot(
        _ snapshot: Snapshot, _ reason: FeedSnapshotReason
    ) throws(StoreError) -> LogPlace? {
        let place = try self.place(of: snapshot)
        var record = try requiredRecord()
        record.beginAgain(reason)
        (record.place, record.store, record.lastUse) = (place, source.identity, now)
        try file.write(record)
        (cursor, base) = (nil, nil)
        return place
    }

    /// The consumer has what a snapshot holds.
    func move(to place: LogPlace?, _ snapshot: Snapshot) {
        cursor = Cursor(shown: place, place: place, isCertain: true, seenLSN: snapshot.lsn)
        // A reader may see less than before until its store is opened for writing.
        base = snapshot.lsn >= place?.lsn.rawValue ?? 0 ? snapshot : nil
    }

    /// Shows all that a snapshot holds, after the place was written that the log is kept from.
    func show(
        _ snapshot: Snapshot, _ reason: FeedSnapshotReason, _ body: (FeedEvent) throws -> Void
    ) throws {
        let place = try beginSnapshot(snapshot, reason)
        try body(.snapshot(reason))
        let definitions = try snapshot.access.keyspaceDefinitions(file: snapshot.store.path)
        let others = definitions.filter { $0.kind == .records && $0.id != .default }
            .map { Keyspace(id: $0.id, name: $0.name, kind: .records) }
        for keyspace in [.default] + others {
            let cursor = snapshot.cursor(in: keyspace)
            var isValid = try cursor.seekToFirst()
            while isValid {
                try body(
                    .change(
                        FeedChange(keyspace: keyspace, key: cursor.key, value: try cursor.value)))
                isValid = try cursor.next()
            }
        }
        try end(at: place, snapshot, body)
    }

    /// Shows what differs between the state that the consumer has and a newer one.
    func showDifference(
        from older: Snapshot, to newer: Snapshot, _ body: (FeedEvent) throws -> Void
    ) throws {
        let place = try self.place(of: newer)
        let changes = try newer.changes(since: older)
        try body(.difference)
        while try changes.next() {
            try body(
                .change(
                    FeedChange(
                        keyspace: changes.keyspace, key: changes.key,
                        value: try changes.newValue, oldValue: try changes.oldValue)))
        }
        try end(at: place, newer, body)
    }

    private func end(
        at place: LogPlace?, _ snapshot: Snapshot, _ body: (FeedEvent) throws -> Void
    ) throws {
        try body(.reached(position(at: place)))
        move(to: place, snapshot)
    }

    func place(of snapshot: Snapshot) throws(StoreError) -> LogPlace? {
        if snapshot.lsn == 0 { return nil }
        if let place = try knownPlace(of: snapshot) { return place }
        throw StoreError(
            .damaged, "The log has no batch with LSN \(snapshot.lsn). Run `travertine fsck`.",
            file: source.path, lsn: snapshot.lsn)
    }

    /// The place of the newest commit of a snapshot; nil where the log does not have it, because
    /// compaction has removed it since the snapshot was taken.
    func knownPlace(of snapshot: Snapshot) throws(StoreError) -> LogPlace? {
        let lsn = LSN(rawValue: snapshot.lsn)
        do {
            let log = snapshot.store.log
            guard let place = try log.place(of: lsn) else { return nil }
            if place.lsn == lsn { return place }
            // It may be the end of a transaction before, and what follows is gone.
            var (last, visitor): (LogPlace?, NoVisitor) = (place, NoVisitor())
            let found = try log.read(after: &last, through: lsn, visitor: &visitor)
            guard case .reached = found else { return nil }
            return place
        } catch {
            throw StoreError(anyError: error)
        }
    }
}
