import SegmentLog
import SimulatedDisk
import Testing

@testable import TravertineStore

/// Identifiers of keyspaces.
@Suite struct KeyspaceTests {
    private let machine = SimulatedMachine(seed: 8)

    private func makeStore(isClosed: Bool) throws -> Keyspace {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        let later = try store.write { transaction in
            for id in 2..<3000 { try transaction.passOverKeyspace(named: "unused.\(id)") }
            let later = try transaction.keyspace(named: "later")
            try transaction.put([1] as [UInt8], forKey: [2] as [UInt8], in: later)
            return later
        }
        #expect(later.id == 3000)
        #expect(store.keyspaces.map(\.name) == [Keyspace.default.name, "later"])
        if isClosed { try store.close() }
        return later
    }

    @Test(
        "identifiers that are passed over belong to nobody, also after reopening without a checkpoint",
        arguments: [true, false])
    func passedOver(isClosed: Bool) throws {
        let later = try makeStore(isClosed: isClosed)
        if !isClosed { machine.crashAndRestart() }
        let opened = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(opened.keyspaces.map(\.name) == [Keyspace.default.name, "later"])
        #expect(try opened.snapshot().get([2] as [UInt8], in: later) == [1])
        let next = try opened.write { try $0.keyspace(named: "next") }
        #expect(next.id == 3001)
    }
}
