import SimulatedDisk
import TestSupport
import Testing

@testable import OrderedIndex
@testable import SegmentLog
@testable import StoreFixtures
@testable import TravertineStore

/// What `changes(since:)` does about damage and misuse, and what it does not look at.
@Suite struct ChangeDamageTests {
    private let machine = SimulatedMachine(seed: 81)

    private func open(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
        var options = machine.options()
        change(&options)
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private func fill(_ store: Store, _ count: UInt64 = 2000) throws {
        try store.write { transaction in
            for key in 0..<count { try transaction.put("value \(key)", forKey: key) }
        }
    }

    /// Goes through all changes and reads their values.
    private func readAll(_ cursor: ChangeCursor) throws -> Int {
        var count = 0
        while try cursor.next() {
            _ = (try cursor.oldValue, try cursor.newValue)
            count += 1
        }
        return count
    }

    private func corrupt(_ text: String) throws {
        let bytes = Array(text.utf8)
        for path in machine.disk.paths where path.hasSuffix(".segment") {
            let contents = try #require(machine.disk.contents(of: path))
            for offset in contents.indices.dropLast(bytes.count)
            where contents[offset] == bytes[0]
                && contents[offset..<(offset + bytes.count)].elementsEqual(bytes)
            {
                machine.disk.corrupt(path, at: offset)
            }
        }
    }

    @Test("damage of a record that is compared, or whose value is asked for, is thrown")
    func damagedRecord() throws {
        let store = try open()
        try fill(store)
        let older = try store.snapshot()
        try store.write { transaction in
            try transaction.put("value XXX", forKey: 123 as UInt64)
            try transaction.put("quite another value", forKey: 5000 as UInt64)
        }
        let newer = try store.snapshot()
        #expect(try readAll(newer.changes(since: older)) == 2)
        try corrupt("quite another")
        let cursor = try newer.changes(since: older)
        #expect(try cursor.next() && cursor.next())
        #expect(errorCode { _ = try cursor.newValue } == .damaged)
        #expect(errorCode { try cursor.withNewValue { _ in } } == .damaged)
        #expect(try cursor.oldValue == nil)
        try corrupt("value XXX")
        let error = #expect(throws: StoreError.self) {
            try newer.changes(since: older).next()
        }
        #expect(error?.code == .damaged && error?.file?.hasSuffix(".segment") ?? false)
        #expect(error?.offset != nil)
        try store.close()
    }

    /// How a value is stored that compaction moves.
    enum StoredForm: CaseIterable, Sendable { case small, large, compressed }

    @Test("a record that compaction moved is not read (D-L3)", arguments: StoredForm.allCases)
    func movedRecord(_ form: StoredForm) throws {
        let store = try open()
        let keys = 0..<20 as Range<UInt64>
        try store.write { transaction in
            if form == .compressed { try transaction.setCompression(.cold, of: .default) }
            for key in keys {
                let value = String(repeating: "value \(key) ", count: form == .small ? 1 : 2000)
                try transaction.put(value, forKey: key)
            }
        }
        let older = try store.snapshot(verification: .always)
        try store.compact()
        let newer = try store.snapshot(verification: .always)
        for key in keys {
            let (source, location) = (try location(key, older), try location(key, newer))
            #expect(source != location, "it was moved")
            #expect(location.isCompressed == (form == .compressed) && location.ordinal == 0)
            try corruptValue(at: location, store)
        }
        #expect(try readAll(newer.changes(since: older, options: .unverified)) == 0)
        #expect(try readAll(older.changes(since: newer, options: .unverified)) == 0)
        // A reader that verifies believes no header under a wrong checksum.
        #expect(errorCode { _ = try newer.changes(since: older).next() } == .damaged)
        try store.write { try $0.put("another", forKey: 7 as UInt64) }
        let last = try store.snapshot(verification: .always)
        #expect(
            errorCode { _ = try last.changes(since: newer, options: .unverified).next() }
                == .damaged)
        try store.close()
    }

    private func location(_ key: UInt64, _ snapshot: Snapshot) throws -> Location {
        let found = try withUnsafeBytes(of: key.bigEndian) { key in
            var cursor = snapshot.access.cursor(in: KeyspaceID.default)
            return try cursor.seek(atOrAfter: key) ? cursor.indexValue : nil
        }
        return Location(rawValue: try #require(found))
    }

    private func corruptValue(at location: Location, _ store: Store) throws {
        let record = try store.log.reader.record(at: location)
        let end = record.offset + record.contentByteCount
        machine.disk.corrupt(store.log.path(of: location.segment), at: end - 3)
    }

    @Test("damage of a page that is needed is thrown, and one that both share is not looked at")
    func damagedPage() throws {
        var store = try open()
        try fill(store)
        let first = try store.snapshot()
        try store.close()
        store = try open()
        let older = try store.snapshot()
        try store.write { try $0.put("new", forKey: 1 as UInt64) }
        let newer = try store.snapshot()
        for path in machine.disk.paths where path.hasSuffix(".pages") {
            let byteCount = try #require(machine.disk.contents(of: path)).count
            for page in 5..<((byteCount - 4096) / 2048 - 1) {
                machine.disk.corrupt(path, at: 4096 + page * 2048 + 100)
            }
        }
        #expect(try readAll(newer.changes(since: older)) == 1)
        // The first one is of an index that shares nothing but the pages it was written to.
        let error = #expect(throws: StoreError.self) { try readAll(newer.changes(since: first)) }
        #expect(error?.isDamagedPage ?? false)
        try store.close()
    }

    @Test("snapshots of two stores are refused")
    func twoStores() throws {
        let store = try open()
        let other = SimulatedMachine(seed: 82)
        let second = try Store.open(at: SimulatedMachine.path, options: other.options())
        let snapshots = (try store.snapshot(), try second.snapshot())
        #expect(errorCode { _ = try snapshots.0.changes(since: snapshots.1) } == .misuse)
        #expect(
            errorCode { _ = try snapshots.0.changes(since: snapshots.1, in: .default) } == .misuse)
        try store.close()
        try second.close()
    }

    @Test("a cursor can be left at any time, and the other direction gives the way back")
    func directions() throws {
        let store = try open()
        try fill(store, 10)
        let older = try store.snapshot()
        try store.write { transaction in
            try transaction.put("new", forKey: 3 as UInt64)
            try transaction.delete(4 as UInt64)
            try transaction.put("more", forKey: 11 as UInt64)
        }
        let newer = try store.snapshot()
        let forward = try newer.changes(since: older)
        #expect(!forward.isValid)
        #expect(try forward.next())
        #expect(forward.kind == .modified && forward.keyspace == .default)
        #expect(forward.withKey { $0.byteCount } == 8)
        #expect(try forward.withOldValue { $0.byteCount } == 7)
        let back = try older.changes(since: newer, in: .default)
        var kinds: [ChangeCursor.Kind] = []
        while try back.next() { kinds.append(back.kind) }
        #expect(kinds == [.modified, .inserted, .deleted])
        #expect(try !back.next() && !back.isValid)
        #expect(try !newer.changes(since: newer).next())
        try store.close()
    }

    // An adopted leaf has another reference and the same keys, so that each of them was compared.
    @Test("after a checkpoint gave leaves back, no key of them is compared")
    func adoptedLeaves() throws {
        let store = try open { $0.indexMemoryBudget = 0 }
        try fill(store, 20_000)
        let older = try store.snapshot()
        try store.checkpoint()
        try store.checkpoint()
        let newer = try store.snapshot()
        #expect(older.access.tree(of: .default).root != newer.access.tree(of: .default).root)
        let difference = TreeDifference(
            from: older.access.tree(of: .default), to: newer.access.tree(of: .default),
            in: store.index.reader)
        #expect(try !difference.next())
        #expect(difference.comparedKeyCount == 0)
        try store.close()
    }
}
