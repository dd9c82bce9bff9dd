import TestSupport
import Testing

@testable import OrderedIndex

/// What is kept under the identity of a node stays right only while V5 holds.
@Suite("Identities of nodes")
struct NodeIdentityTests {
    @Test(
        "no identity ever says two things, over savepoints, images, adoptions and consolidations",
        arguments: 1...6)
    func histories(seed: UInt64) throws {
        let history = PagedHistory(seed: seed, notesIdentities: true)
        for _ in 0..<20 {
            try history.change(history.random.below(3) == 0 ? 600 : 30)
            for _ in 0..<3 { try history.changeBySavepoints() }
            if history.random.below(3) == 0 { try history.consolidate() }
            try history.writeImage()
        }
        for snapshot in history.snapshots { history.index.unpin(snapshot.pin) }
        #expect(history.notedCount > 400, "seed \(seed)")
    }

    @Test("memory that is freed, unmapped and used again gives no old identity back")
    func reusedMemory() throws {
        let history = PagedHistory(seed: 77, notesIdentities: true)
        var evacuationCount = 0
        for round in 0..<2 {
            // Another tree fills chunks between the nodes of the noted one.
            try history.index.write { (writer: IndexWriter) throws -> Void in
                for number in 0..<250_000 {
                    let key = KeyShape.random16.makeKey(number, &history.random)
                    try writer.insert(key, UInt64(round), in: 0)
                    if number % 100 == 0 {
                        let noted = Array("\(number)".utf8)
                        try writer.insert(noted, UInt64(round), in: 1)
                        history.model.values[noted] = UInt64(round)
                    }
                }
            }
            try history.change(100)
            try history.index.write { (writer: IndexWriter) throws -> Void in
                writer.removeAll(in: 0)
            }
            for _ in 0..<3 { try history.changeBySavepoints() }
            if try history.evacuate() { evacuationCount += 1 }
            try history.change(100)
        }
        for snapshot in history.snapshots { history.index.unpin(snapshot.pin) }
        #expect(evacuationCount > 0)
    }
}
