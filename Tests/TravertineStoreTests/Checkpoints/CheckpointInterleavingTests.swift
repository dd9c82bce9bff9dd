import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What others do between any two calls of a checkpoint to the disk.
struct CheckpointInterleavingTests {
    private let machine = SimulatedMachine(seed: 12)

    private func open() throws -> Store {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        for key in 0..<500 {
            try store.write(durability: Durability.unsynced) {
                try $0.put("before", forKey: UInt64(key))
            }
        }
        return store
    }

    /// Writes a checkpoint, with `body` between its calls while `condition` holds; returns how
    /// often that was.
    private func writeCheckpoint(
        _ store: Store, when condition: @escaping () -> Bool, _ body: @escaping () throws -> Void
    ) throws -> Int {
        var count = 0
        var isInside = false
        machine.disk.setInterlude(before: machine.fileSystem) {
            guard !isInside, condition() else { return }
            isInside = true
            defer { isInside = false }
            count += 1
            do { try body() } catch { Issue.record(error) }
        }
        try store.checkpoint()
        machine.disk.setInterlude(before: machine.fileSystem, nil)
        return count
    }

    private func checkAfterReopening(_ store: Store, _ check: (Store) throws -> Void) throws {
        machine.crashAndRestart()
        // Its disk is gone; the process forgets that it has the store open.
        _ = capture { () throws(StoreError) in try store.close() }
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(again.openingReport.damagedCheckpoints.isEmpty)
        #expect(again.openingReport.source != .fullReplay)
        try check(again)
        try again.close()
    }

    @Test("commits go on while the manifest of a checkpoint is written and synced")
    func commitsBesideTheManifest() throws {
        let store = try open()
        let disk = machine.disk
        var written: UInt64 = 0
        func isReplacing() -> Bool { disk.paths.contains { $0.hasSuffix("/manifest.new") } }
        let count = try writeCheckpoint(store, when: isReplacing) {
            try store.write { try $0.put("beside", forKey: 1000 + written) }
            written += 1
        }
        // Its writing, its sync, its renaming.
        #expect(count >= 3)
        try checkAfterReopening(store) { store in
            let snapshot = try store.snapshot()
            for key in 0..<written {
                #expect(try snapshot.get(1000 + key) == Array("beside".utf8))
            }
            #expect(try snapshot.get(UInt64(499)) == Array("before".utf8))
        }
    }

    @Test("the page file of a checkpoint under way is not removed with those that nothing needs")
    func removalBesideTheCheckpoint() throws {
        let store = try open()
        try store.checkpoint()
        try store.write { try $0.put("more", forKey: UInt64(3)) }
        let newest = store.checkpoints.manifest.checkpoints.first?.file
        let disk = machine.disk
        func isUnderWay() -> Bool {
            store.checkpoints.manifest.checkpoints.first?.file == newest
                && disk.paths.count { $0.hasSuffix(".pages") } > 1
        }
        let count = try writeCheckpoint(store, when: isUnderWay) {
            // As the end of a backup does, on another thread.
            store.checkpoints.removeUnneededFiles()
        }
        #expect(count >= 5)
        try checkAfterReopening(store) { store in
            let value = try store.snapshot().get(UInt64(3))
            #expect(value == Array("more".utf8))
        }
    }
}
