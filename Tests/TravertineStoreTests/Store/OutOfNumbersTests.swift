import SegmentLog
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Stores that have used up numbers that are never used again.
@Suite struct OutOfNumbersTests {
    private let machine = SimulatedMachine(seed: 31)

    private func open() throws -> Store {
        try Store.open(at: SimulatedMachine.path, options: machine.options())
    }

    private func isOutOfNumbers(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return error.code == .outOfNumbers && error.message.contains("load the dump into a new")
    }

    @Test("without segment numbers writing says what to do, and reading goes on")
    func segments() throws {
        var store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        try store.close()
        // The last number that there is, on a file that a crash left.
        machine.disk.setContents(of: SimulatedMachine.path + "/2147483647.segment", [0])
        store = try open()
        for _ in 0..<2 {
            #expect {
                // More than the active segment has room for.
                try store.write { transaction in
                    for number in 0..<200 as Range<UInt64> {
                        try transaction.put([UInt8](repeating: 1, count: 1000), forKey: number)
                    }
                }
            } throws: { isOutOfNumbers($0) }
        }
        #expect(store.readsAsText("a") == "1")
        try #expect(store.snapshot().count() == 1)
    }

    @Test("without numbers of page files a checkpoint says what to do, and commits go on")
    func pageFiles() throws {
        try open().close()
        let fileSystem = machine.fileSystem
        var manifest = try #require(
            try ManifestFile.read(in: SimulatedMachine.path, fileSystem: fileSystem))
        manifest.nextPageFile = UInt32(Int32.max)
        manifest.sequence += 1
        try ManifestFile.replace(manifest, in: SimulatedMachine.path, fileSystem: fileSystem)
        let store = try open()
        try store.write { try $0.put("1", forKey: "a") }
        #expect { try store.checkpoint() } throws: { isOutOfNumbers($0) }
        try store.write { try $0.put("2", forKey: "a") }
        #expect(store.readsAsText("a") == "2")
    }

    @Test("the number of keyspaces has a limit")
    func keyspaces() throws {
        try #expect(KeyspaceDefinition.nextID(after: 1 << 24 - 1).treeNumber == 1 << 24 - 1)
        #expect { try KeyspaceDefinition.nextID(after: 1 << 24) } throws: { isOutOfNumbers($0) }
    }
}
