import Synchronization
import TestSupport
import Testing

@testable import OrderedIndex

/// What the tasks of a test share.
private final class Shared: Sendable {
    let isDone = Atomic(false)
    let failures = Atomic(0)
    let reads = Atomic(0)
}

@Suite("Readers beside the writer")
struct ConcurrencyTests {
    /// Each transaction sets all keys to its number, so that a reader recognizes a whole version.
    @Test("every pinned version is whole, while nodes are recycled")
    func wholeVersions() async throws {
        let index = Index.make()
        let keys = (0..<500).map { number -> [UInt8] in
            var random = SeededRandom(seed: UInt64(number))
            return KeyShape.random16.makeKey(number, &random)
        }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys { try writer.insert(key, 0) }
        }
        let shared = Shared()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<2 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(reader))
                    while !shared.isDone.load(ordering: .relaxed) {
                        let pin = index.pin(note: 1)
                        let tree = pin.root.pointee.tree(0)
                        let expected = pin.root.pointee.tag
                        for _ in 0..<10 {
                            let key = keys[random.below(keys.count)]
                            if try index.reader.value(key, in: tree) != expected {
                                shared.failures.add(1, ordering: .relaxed)
                            }
                        }
                        if random.below(20) == 0 {
                            var count = 0
                            var cursor = index.reader.makeCursor(over: tree)
                            _ = try cursor.seekToFirst()
                            try cursor.visit { _, value in
                                count += value == expected ? 1 : 0
                                return true
                            }
                            if count != keys.count { shared.failures.add(1, ordering: .relaxed) }
                        }
                        index.unpin(pin)
                        shared.reads.add(1, ordering: .relaxed)
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for round in UInt64(1)...400 {
                    let writer = index.beginWrite()
                    for key in keys { try writer.insert(key, round) }
                    index.publish(writer.commit(tag: round))
                    await Task.yield()
                }
                while shared.reads.load(ordering: .relaxed) < 10 { await Task.yield() }
                shared.isDone.store(true, ordering: .relaxed)
            }
            try await group.waitForAll()
        }
        #expect(shared.failures.load(ordering: .relaxed) == 0)
        try index.write { _ in }
        try index.write { _ in }
        #expect(index.statistics.retiredNodeByteCount == 0)
    }
}
