import Foundation
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What is decrypted in memory stays within its budget, and what a snapshot has read stays as it
/// is.
@Suite("Decrypted memory")
struct DecryptedMemoryTests {
    private static let budget = 256 << 10
    private static let keyCount = 8000

    private static func value(_ number: Int) -> [UInt8] {
        (0..<300).map { UInt8(truncatingIfNeeded: number &* 7 &+ $0) }
    }

    private static func makeStore(_ machine: SimulatedMachine) throws -> Store {
        var options = machine.options(segmentByteCount: 64 << 10)
        options.decryptedMemoryBudget = budget
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        for start in stride(from: 0, to: keyCount, by: 100) {
            try store.write { transaction in
                for number in start..<start + 100 {
                    try transaction.put(value(number), forKey: "key \(number)")
                }
            }
        }
        return store
    }

    @Test("reading at random keeps to the budget, whether snapshots are short or writers commit")
    func budget() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let machine = SimulatedMachine(
            seed: seed, fileCapacity: 256 << 10, cipher: RecordingCipher())
        let store = try Self.makeStore(machine)
        machine.executor.drain()
        var greatest = 0
        for round in 0..<150 {
            for _ in 0..<50 {
                let number = Int.random(in: 0..<Self.keyCount, using: &random)
                #expect(try store.get("key \(number)") == Self.value(number), "seed \(seed)")
            }
            if round % 7 == 0 { try store.write { try $0.put("x", forKey: "other") } }
            machine.executor.drain()
            greatest = max(greatest, store.log.decryptedByteCount)
        }
        // Fifty records of other segments may come before the job, and wait for the one after it.
        #expect(greatest < 4 * Self.budget + 50 * (16 << 10), "seed \(seed): \(greatest)")
        #expect(greatest > Self.budget / 8, "seed \(seed): nothing is decrypted")
        let statistics = try store.statistics
        #expect(statistics.isEncrypted)
        #expect(statistics.decryptedByteCount == store.log.decryptedByteCount)
        try store.close()
    }

    @Test("what a snapshot has read stays where it is, as long as the snapshot is open")
    func heldBySnapshot() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let machine = SimulatedMachine(
            seed: seed, fileCapacity: 256 << 10, cipher: RecordingCipher())
        let store = try Self.makeStore(machine)
        machine.executor.drain()
        let snapshot = try store.snapshot()
        var held: [(number: Int, bytes: UnsafeRawBufferPointer)] = []
        for _ in 0..<200 {
            let number = Int.random(in: 0..<Self.keyCount, using: &random)
            let key = Array("key \(number)".utf8)
            let bytes = try key.withUnsafeBytes { key in
                try snapshot.access.value(forKey: key, in: .default)
            }
            held.append((number, try #require(bytes)))
        }
        for round in 0..<100 {
            for _ in 0..<50 {
                _ = try store.get("key \(Int.random(in: 0..<Self.keyCount, using: &random))")
            }
            if round % 3 == 0 { try store.write { try $0.put("x", forKey: "other") } }
            machine.executor.drain()
        }
        for (number, bytes) in held {
            #expect(bytes.elementsEqual(Self.value(number)), "seed \(seed), key \(number)")
        }
        withExtendedLifetime(snapshot) {}
        try store.close()
    }
}
