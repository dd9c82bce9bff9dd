import SegmentLog
import SimulatedDisk
import Testing

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
        machine.disk.paths.filter { $0.hasPrefix(Self.path + "/") }
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
        machine.disk.setContents(of: Self.path + "/" + StoreFiles.newManifest, [1])
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
}
