import Foundation
import Testing
import TravertineStore

@Suite("Snippets: changes of a store of keys and values")
struct ChangeSnippets {
    private let directory = SnippetDirectory()
    private var path: String { directory.url.path }

    @Test("two snapshots are compared")
    func comparing() throws {
        let store = try Store.open(at: path)
        try store.write { transaction in
            try transaction.put("Lisbon", forKey: "PT")
            try transaction.put("Rome", forKey: "IT")
        }
        let older = try store.snapshot()
        try store.write { transaction in
            try transaction.put("Lisboa", forKey: "PT")
            try transaction.put("Vienna", forKey: "AT")
            try transaction.delete("IT")
        }
        let newer = try store.snapshot()
        let changes = try newer.changes(since: older)
        while try changes.next() {
            print(String(decoding: changes.key, as: UTF8.self), changes.kind)
        }
        // AT inserted, IT deleted, PT modified
        #expect(try changedNames(from: older, to: newer) == ["AT", "IT", "PT"])
        try store.close()
    }

    private func changedNames(from older: Snapshot, to newer: Snapshot) throws -> [String] {
        var names: [String] = []
        let changes = try newer.changes(since: older)
        while try changes.next() { names.append(String(decoding: changes.key, as: UTF8.self)) }
        return names
    }

    @Test("a task and a thread wait for commits")
    func waiting() async throws {
        let store = try Store.open(at: path)
        var snapshot = try store.snapshot()
        let writer = Task {
            try store.write { try $0.put("Lisbon", forKey: "PT") }
        }
        try await store.waitForCommit(after: snapshot.lsn)
        let next = try store.snapshot()
        for name in try changedNames(from: snapshot, to: next) {
            print(name)
        }
        snapshot = next
        try await writer.value
        try limited(store, snapshot)
        try await otherProcess(store)
        try store.close()
    }

    private func limited(_ store: Store, _ snapshot: Snapshot) throws {
        let isThere = try store.waitForCommit(after: snapshot.lsn, timeout: .milliseconds(10))
        print(isThere)  // false: nothing was committed in this time
        #expect(!isThere)
    }

    private func otherProcess(_ store: Store) async throws {
        let reader = try StoreReader.open(at: path)
        let writer = Task {
            try store.write { try $0.put("Madrid", forKey: "ES") }
        }
        try await reader.waitForCommit(after: reader.lsn)
        if try reader.refresh() {
            print(try reader.snapshot().count())
        }
        try await writer.value
        reader.close()
    }
}
