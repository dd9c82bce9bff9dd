import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What salvage does with identifiers of keyspaces, up to the last that a store may have.
@Suite struct SalvagedKeyspaceTests {
    private static let target = "/recovered"
    private let machine = SimulatedMachine(seed: 61, fileCapacity: 64 << 20)

    /// Leaves a log of one batch, with a record of a keyspace that nothing defines.
    private func writeRecord(in keyspace: KeyspaceID) throws {
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write(durability: .commit) { transaction in
            try "key".withBytes { (key) throws(StoreError) in
                try "value".withBytes { (value) throws(StoreError) in
                    _ = try transaction.append(.put, keyspace: keyspace, key: key, value: value)
                }
            }
        }
        machine.crashAndRestart()
        withExtendedLifetime(store) {}
    }

    private func salvage() throws -> SalvageReport {
        try StoreSalvage.recover(
            directory: SimulatedMachine.path, to: Self.target,
            options: machine.options(segmentByteCount: 64 << 20))
    }

    // A store gives identifiers below 2²⁴, and opening takes them. Salvage left out what had one
    // above 2²⁰, though nothing was damaged.
    @Test("a record is salvaged whatever identifier its keyspace has, of those that opening takes")
    func highIdentifier() throws {
        let id = KeyspaceID(rawValue: 1 << 20 + 2)
        try writeRecord(in: id)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try #expect(store.snapshot().access.count(in: id) == 1)
        try store.close()
        let report = try salvage()
        #expect(report.isComplete && report.notes.isEmpty, "\(report)")
        #expect(report.keyspaces.map(\.id) == [1, id.rawValue] && report.recordCount == 1)
        let salvaged = try Store.open(at: Self.target, options: machine.options())
        let keyspace = try #require(try salvaged.keyspace(named: "recovered.\(id)"))
        #expect(keyspace.identifier == id)
        try #expect(salvaged.get("key", in: keyspace) == Array("value".utf8))
        try salvaged.close()
    }

    // The report said that nothing was missing.
    @Test("a record of a keyspace that no store can have is left out, and counted")
    func impossibleIdentifier() throws {
        try writeRecord(in: KeyspaceID(treeNumber: KeyspaceDefinition.idLimit))
        #expect(throws: StoreError.self) {
            try Store.open(at: SimulatedMachine.path, options: machine.options())
        }
        let report = try salvage()
        #expect(report.keyspaces.map(\.id) == [1] && report.recordCount == 0)
        #expect(report.undecodableRecordCount == 1 && !report.isComplete)
        #expect(report.notes.count == 1, "\(report.notes)")
    }
}
