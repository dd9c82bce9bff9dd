import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

@Suite("Removing stores")
struct RemovingTests {
    private static let path = SimulatedMachine.path
    private static let foreign = path + "/note.txt"

    /// A machine with a closed store that has every kind of file, and maybe one of somebody else's.
    private func machine(seed: UInt64, hasForeignFile: Bool) throws -> SimulatedMachine {
        let machine = SimulatedMachine(seed: seed)
        let store = try Store.open(
            at: Self.path, options: machine.options(segmentByteCount: 8 << 10))
        for round in 0..<3 {
            try store.write { transaction in
                for number in 0..<40 as Range<UInt64> {
                    let value = [UInt8](repeating: UInt8(round), count: 250)
                    try transaction.put(value, forKey: number)
                }
            }
            try store.checkpoint()
        }
        machine.executor.drain()
        try store.close()
        let names = ["0000000001.keys", StoreFiles.newManifest, StoreFiles.scrub]
        for name in names { machine.disk.setContents(of: Self.path + "/" + name, [1, 2, 3]) }
        if hasForeignFile { machine.disk.setContents(of: Self.foreign, [9]) }
        return machine
    }

    private func files(_ machine: SimulatedMachine) -> [String] {
        // What was in a directory that is gone is gone, though the disk may not have taken that
        // down.
        guard machine.fileSystem.exists(Self.path) else { return [] }
        return machine.disk.paths.filter { $0.hasPrefix(Self.path + "/") }
    }

    private enum Interruption: CaseIterable { case kill, powerCut, error }

    /// Interrupts a removal at one of its calls; false if it has fewer.
    private func interrupt(
        _ machine: SimulatedMachine, _ interruption: Interruption, call: Int
    ) -> Bool {
        machine.disk.setFault(interruption == .error ? .inputOutput : .crashBefore, atCall: call)
        let first = capture { () throws(StoreError) in
            try Store.remove(at: Self.path, fileSystem: machine.fileSystem)
        }
        guard case .failure = first else { return false }
        machine.disk.clearFaults()
        switch interruption {
        case .kill: machine.restart()
        case .powerCut: machine.crashAndRestart()
        case .error: break
        }
        return true
    }

    @Test(
        "however a removal is interrupted, calling it again removes what is left",
        arguments: Interruption.allCases)
    private func again(_ interruption: Interruption) throws {
        var lockOnlyCount = 0
        for call in 0..<200 {
            let machine = try machine(seed: UInt64(call), hasForeignFile: false)
            guard interrupt(machine, interruption, call: call) else {
                #expect(call > 8 && lockOnlyCount > 0)
                return
            }
            let before = files(machine)
            if before == [Self.path + "/lock"] { lockOnlyCount += 1 }
            let isRemoved = try Store.remove(at: Self.path, fileSystem: machine.fileSystem)
            #expect(isRemoved == !before.isEmpty, "seed and call \(call): \(before)")
            #expect(files(machine).isEmpty, "seed and call \(call): \(before)")
        }
    }

    /// How many keys of the store of `machine` are there, each with the value of the last round.
    private func keyCount(_ machine: SimulatedMachine) throws -> Int {
        let store = try Store.open(at: Self.path, options: machine.options())
        let snapshot = try store.snapshot()
        var count = 0
        for number in 0..<40 as Range<UInt64> {
            guard let value = try snapshot.get(number) else { continue }
            #expect(value == [UInt8](repeating: 2, count: 250))
            count += 1
        }
        machine.executor.drain()
        try store.close()
        return count
    }

    @Test(
        "however a removal is interrupted, opening finds the whole store or makes an empty one",
        arguments: Interruption.allCases)
    private func opened(_ interruption: Interruption) throws {
        var counts: Set<Int> = []
        for call in 0..<200 {
            let machine = try machine(seed: UInt64(call), hasForeignFile: false)
            guard interrupt(machine, interruption, call: call) else {
                #expect(call > 8 && counts == [0, 40])
                return
            }
            let before = files(machine)
            // The opening that ends the removal is interrupted too.
            var random = SeededRandom(seed: UInt64(call))
            machine.disk.setFault(.crashBefore, atCall: Int.random(in: 0..<30, using: &random))
            let store = capture { () throws(StoreError) in
                try Store.open(at: Self.path, options: machine.options())
            }
            _ = capture { () throws(StoreError) in try store.get().close() }
            machine.disk.clearFaults()
            machine.crashAndRestart()
            let count = try keyCount(machine)
            #expect(count == 0 || count == 40, "seed and call \(call): \(before)")
            counts.insert(count)
            let mark = Self.path + "/" + StoreFiles.removedManifest
            #expect(!files(machine).contains(mark), "seed and call \(call): \(before)")
            #expect(try keyCount(machine) == count, "seed and call \(call): \(before)")
        }
    }

    @Test("what is left of a removed store is no store to those who make none, nor to fsck")
    func leftOver() throws {
        let machine = try machine(seed: 3, hasForeignFile: false)
        try machine.fileSystem.rename(
            from: Self.path + "/" + StoreFiles.manifest,
            to: Self.path + "/" + StoreFiles.removedManifest)
        let before = files(machine)
        var options = machine.options()
        options.createIfMissing = false
        let error = #expect(throws: StoreError.self) {
            try Store.open(at: Self.path, options: options)
        }
        #expect(error?.code == .notAStore)
        #expect(error?.message.contains("was being removed") == true)
        let verified = #expect(throws: StoreError.self) {
            try StoreVerifier.verify(
                path: Self.path, environment: machine.environment)
        }
        #expect(verified?.code == .notAStore)
        #expect(verified?.message.contains("was being removed") == true)
        let read = #expect(throws: StoreError.self) {
            try StoreReader.open(at: Self.path, options: machine.options())
        }
        #expect(read?.code == .notAStore)
        #expect(files(machine) == before)
    }

    @Test("a store whose manifest was put back is one, and can't be taken for a left-over again")
    func putBack() throws {
        let machine = try machine(seed: 4, hasForeignFile: false)
        let manifest = try #require(machine.disk.contents(of: Self.path + "/manifest"))
        let mark = Self.path + "/" + StoreFiles.removedManifest
        machine.disk.setContents(of: mark, manifest)
        #expect(try keyCount(machine) == 40)
        #expect(!files(machine).contains(mark))
        machine.restart()
        try machine.fileSystem.remove(Self.path + "/manifest")
        let error = #expect(throws: StoreError.self) { try keyCount(machine) }
        #expect(error?.code == .damaged)
    }

    @Test("what an interrupted removal leaves beside files of others is removed, and these stay")
    func besideOthers() throws {
        for call in 0..<200 {
            let machine = try machine(seed: UInt64(call), hasForeignFile: true)
            guard interrupt(machine, .kill, call: call) else { return }
            let before = files(machine)
            let again = capture { () throws(StoreError) in
                try Store.remove(at: Self.path, fileSystem: machine.fileSystem)
            }
            if before == [Self.foreign] {
                #expect(throws: StoreError.self) { try again.get() }
            } else {
                #expect(try again.get(), "seed and call \(call): \(before)")
            }
            #expect(files(machine) == [Self.foreign], "seed and call \(call): \(before)")
        }
    }

    @Test("a creation that was interrupted is removed; a lock of somebody else's is not")
    func creation() throws {
        let machine = SimulatedMachine(seed: 5)
        try machine.fileSystem.createDirectory(Self.path)
        machine.disk.setContents(of: Self.path + "/lock", [])
        machine.disk.setContents(
            of: Self.path + "/" + StoreFiles.newManifest, Manifest.magic)
        #expect(try Store.remove(at: Self.path, fileSystem: machine.fileSystem))
        #expect(files(machine).isEmpty)
        try machine.fileSystem.createDirectory(Self.path)
        machine.disk.setContents(of: Self.path + "/lock", [])
        machine.disk.setContents(of: Self.foreign, [9])
        let error = #expect(throws: StoreError.self) {
            try Store.remove(at: Self.path, fileSystem: machine.fileSystem)
        }
        #expect(error?.code == .notAStore && files(machine).count == 2)
    }

    /// A store that somebody makes while its removal is ended from elsewhere must not be taken for
    /// what is left of the removed one.
    @Test(
        "ending a removal leaves a store alone that came between the look and the lock",
        arguments: 0..<5)
    func madeMeanwhile(before call: Int) throws {
        let machine = try machine(seed: 6, hasForeignFile: false)
        let fileSystem = machine.fileSystem
        let manifest = try #require(machine.disk.contents(of: Self.path + "/manifest"))
        let mark = Self.path + "/" + StoreFiles.removedManifest
        try fileSystem.rename(from: Self.path + "/manifest", to: mark)
        // Before each of the calls that look, and before the one that takes the lock.
        let count = Atomic<Int>(0)
        machine.disk.setInterlude(before: fileSystem) {
            if count.add(1, ordering: .relaxed).oldValue != call { return }
            machine.disk.setInterlude(before: fileSystem, nil)
            machine.disk.setContents(of: Self.path + "/manifest", manifest)
        }
        try Store.finishRemoval(at: Self.path, fileSystem: fileSystem)
        #expect(try keyCount(machine) == 40)
        machine.restart()
        try machine.fileSystem.rename(from: Self.path + "/manifest", to: mark)
        try Store.finishRemoval(at: Self.path, fileSystem: machine.fileSystem)
        #expect(files(machine).isEmpty)
    }

    @Test(
        "opening ends a removal beside files of others, however often it is interrupted",
        arguments: [Interruption.kill, .powerCut])
    private func openedBesideOthers(_ interruption: Interruption) throws {
        for call in 0..<200 {
            let machine = try machine(seed: UInt64(call), hasForeignFile: true)
            try machine.fileSystem.rename(
                from: Self.path + "/" + StoreFiles.manifest,
                to: Self.path + "/" + StoreFiles.removedManifest)
            try machine.fileSystem.syncDirectory(Self.path)
            machine.disk.setFault(.crashBefore, atCall: call)
            let first = capture { () throws(StoreError) in
                try Store.open(at: Self.path, options: machine.options())
            }
            _ = capture { () throws(StoreError) in try first.get().close() }
            machine.disk.clearFaults()
            if interruption == .kill { machine.restart() } else { machine.crashAndRestart() }
            #expect(try keyCount(machine) == 0, "seed and call \(call)")
            #expect(files(machine).contains(Self.foreign), "seed and call \(call)")
            if case .success = first { return }
        }
    }

    @Test("a conditional removal makes no store, and leaves a directory with a backup as it is")
    func conditional() throws {
        let machine = try machine(seed: 7, hasForeignFile: false)
        machine.disk.setContents(of: Self.path + "/backup.part", [1])
        let error = #expect(throws: StoreError.self) {
            try Store.remove(at: Self.path, options: machine.options()) { _ in true }
        }
        #expect(error?.code == .notAStore)
        try machine.fileSystem.remove(Self.path + "/backup.part")
        #expect(try !Store.remove(at: Self.path, options: machine.options()) { _ in false })
        #expect(try Store.remove(at: Self.path, options: machine.options()) { _ in true })
        #expect(files(machine).isEmpty)
        try machine.fileSystem.createDirectory(Self.path)
        #expect(try !Store.remove(at: Self.path, options: machine.options()) { _ in true })
        #expect(files(machine).isEmpty)
    }
}
