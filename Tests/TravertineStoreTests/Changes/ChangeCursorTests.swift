import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What `changes(since:)` gives is the difference of two states.
@Suite struct ChangeCursorTests {
    private struct Change: Equatable {
        var keyspace: KeyspaceID
        var key: [UInt8]
        var old: [UInt8]?
        var new: [UInt8]?
    }

    private func expected(
        _ old: ChangeHistory.Version, _ new: ChangeHistory.Version, in keyspace: KeyspaceID
    ) -> [Change] {
        let (old, new) = (old.contents[keyspace] ?? [:], new.contents[keyspace] ?? [:])
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            .sorted { $0.lexicographicallyPrecedes($1) }
            .map { Change(keyspace: keyspace, key: $0, old: old[$0], new: new[$0]) }
    }

    private func found(
        _ old: Snapshot, _ new: Snapshot, in keyspace: KeyspaceID
    ) throws -> [Change] {
        var changes: [Change] = []
        let difference = try KeyspaceDifference(
            from: old, to: new, in: keyspace, verified: true)
        while try difference.next() {
            changes.append(
                Change(
                    keyspace: keyspace, key: [UInt8](difference.key),
                    old: try difference.withOldValue { [UInt8]($0) },
                    new: try difference.withNewValue { [UInt8]($0) }))
        }
        return changes
    }

    private func check(
        _ old: ChangeHistory.Version, _ new: ChangeHistory.Version, _ seed: UInt64
    ) throws {
        let ids = Set(old.contents.keys).union(new.contents.keys).sorted()
        var derived: Set<KeyspaceID> = []
        for id in ids {
            #expect(
                try found(old.snapshot, new.snapshot, in: id) == expected(old, new, in: id),
                "seed \(seed), keyspace \(id)")
            let trees = (old.snapshot.access.tree(of: id), new.snapshot.access.tree(of: id))
            if (trees.0.flags | trees.1.flags) & TreeFlags.derived != 0 { derived.insert(id) }
        }
        var changes: [Change] = []
        let cursor = try new.snapshot.changes(since: old.snapshot)
        while try cursor.next() {
            let change = Change(
                keyspace: cursor.keyspace.identifier, key: cursor.key, old: try cursor.oldValue,
                new: try cursor.newValue)
            let kind: ChangeCursor.Kind =
                change.old == nil ? .inserted : change.new == nil ? .deleted : .modified
            #expect(cursor.kind == kind)
            #expect(cursor.keyspace.kind == .records)
            changes.append(change)
        }
        #expect(
            changes == ids.filter { !derived.contains($0) }.flatMap { expected(old, new, in: $0) },
            "seed \(seed)")
    }

    @Test(
        "changes between any two versions of a random history are the difference of their contents",
        arguments: 1...4 as ClosedRange<UInt64>)
    func randomHistory(seed: UInt64) throws {
        let history = try ChangeHistory(seed: seed)
        var random = SeededRandom(scattering: seed)
        for step in 0..<50 {
            try history.step()
            if step % 4 == 0 {
                try check(random.pick(history.versions), random.pick(history.versions), seed)
            }
        }
        try history.store.close()
        for _ in 0..<8 {
            try check(random.pick(history.versions), random.pick(history.versions), seed)
        }
    }
}
