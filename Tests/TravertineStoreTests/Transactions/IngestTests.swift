import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// `Store.ingest`: what is stored, in how many transactions, and what is reported when it stops.
@Suite struct IngestTests {
    private let machine = SimulatedMachine(seed: 19)

    private func open() throws -> Store {
        try Store.open(at: SimulatedMachine.path, options: machine.options())
    }

    private func records(
        _ numbers: Range<UInt64>
    ) -> some Sequence<(key: UInt64, value: String)> {
        numbers.lazy.map { (key: $0, value: "value \($0)") }
    }

    @Test("all records of a sequence are there, durable, in as many transactions as it takes")
    func whole() throws {
        try fill()
        // No commit has waited: the call itself makes all of it durable.
        machine.crashAndRestart()
        let store = try open()
        let found = try #require(try store.keyspace(named: "other"))
        #expect(try store.snapshot().count(in: found) == 25)
        let value = try store.get(24 as UInt64, in: found)
        #expect(value == Array("value 24".utf8))
        try store.close()
    }

    private func fill() throws {
        let store = try open()
        let other = try store.write { try $0.keyspace(named: "other") }
        let before = try store.snapshot().lsn
        var told: [Int] = []
        let report = try store.ingest(records(0..<25), into: other, batchSize: 10) {
            told.append($0.recordCount)
        }
        #expect(report.recordCount == 25 && report.transactionCount == 3)
        #expect(report.byteCount == 25 * 8 + (0..<25).reduce(0) { $0 + "value \($1)".utf8.count })
        #expect(told == [10, 20, 25])
        #expect(try store.snapshot().lsn == before + 3)
        machine.disk.crash()
    }

    @Test("a dictionary will do, a later record wins, and nothing is no transaction")
    func smallOnes() throws {
        let store = try open()
        #expect(try store.ingest(["a": "1", "b": "2"]).recordCount == 2)
        let twice = [(key: "a", value: "3"), (key: "a", value: "4")]
        #expect(try store.ingest(twice, batchSize: 1, durability: .commit).transactionCount == 2)
        #expect(try store.get("a") == Array("4".utf8))
        let lsn = try store.snapshot().lsn
        #expect(try store.ingest([(key: String, value: String)]()) == IngestReport())
        #expect(try store.snapshot().lsn == lsn)
        try store.close()
    }

    @Test("a record that can't be stored ends it, and the batches before are reported and stay")
    func failure() throws {
        let store = try open()
        let long = String(repeating: "k", count: Store.keyByteCountMax + 1)
        let keys = (0..<35).map { $0 == 27 ? long : "key \($0)" }
        let error = #expect(throws: IngestError.self) {
            try store.ingest(keys.map { (key: $0, value: "v") }, batchSize: 10)
        }
        #expect(error?.cause.code == .keyTooLarge && error?.storedRecordCount == 20)
        #expect(try store.snapshot().count() == 20)
        #expect(error.map { "\($0)".contains("20 records") } == true)
        // Going on from there.
        let rest = keys.dropFirst(20).filter { $0 != long }.map { (key: $0, value: "v") }
        try store.ingest(rest, batchSize: 10)
        #expect(try store.snapshot().count() == 34)
        try store.close()
    }

    @Test("a disk that fills up ends it with what was stored before")
    func fullDisk() throws {
        let store = try open()
        machine.disk.setQuota(byteCount: machine.disk.usedByteCount + 300_000)
        let value = [UInt8](repeating: 1, count: 1000)
        let error = #expect(throws: IngestError.self) {
            try store.ingest(
                (0..<5000 as Range<UInt64>).lazy.map { (key: $0, value: value) }, batchSize: 20)
        }
        #expect(error?.cause.code == .diskFull)
        let stored = try #require(error?.storedRecordCount)
        #expect(stored > 0 && stored % 20 == 0)
        #expect(try store.snapshot().count() == stored)
        machine.disk.setQuota(byteCount: .max)
        try store.close()
    }

    @Test("no batch size below 1, and no ingest inside a transaction")
    func misuse() throws {
        let store = try open()
        let none = #expect(throws: IngestError.self) {
            try store.ingest(["a": "b"], batchSize: 0)
        }
        #expect(none?.cause.code == .misuse && none?.storedRecordCount == 0)
        try store.write { _ in
            let inside = #expect(throws: IngestError.self) { try store.ingest(["a": "b"]) }
            #expect(inside?.cause.code == .misuse)
        }
        try store.close()
    }
}
