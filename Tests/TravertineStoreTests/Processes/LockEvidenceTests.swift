import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What the lock file says was durable, after the store beside it has changed.
@Suite("What the lock says was durable")
struct LockEvidenceTests {
    private static let path = SimulatedMachine.path
    private static let lock = path + "/lock"

    /// Makes durable commits with the keys of a range, and ends the process without closing.
    private func commit(_ keys: Range<UInt64>, _ machine: SimulatedMachine) throws {
        let store = try Store.open(at: Self.path, options: machine.options())
        for key in keys {
            try store.write { try $0.put([UInt8](repeating: 7, count: 400), forKey: key) }
        }
        machine.restart()
    }

    /// Overwrites the last bytes of the log's last segment that are not zero.
    private func damageEnd(_ byteCount: Int, _ machine: SimulatedMachine) throws {
        let segments = machine.disk.paths.filter { $0.hasSuffix(".segment") }
        let path = try #require(
            segments.last { path in
                machine.disk.contents(of: path)?.contains { $0 != 0 } ?? false
            })
        var bytes = try #require(machine.disk.contents(of: path))
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        for place in end - byteCount..<end { bytes[place] = 0 }
        machine.disk.setContents(of: path, bytes)
    }

    private func open(
        _ machine: SimulatedMachine, at path: String = Self.path
    ) -> Result<Int, StoreError> {
        capture { () throws(StoreError) in
            let store = try Store.open(at: path, options: machine.options())
            let count = try store.snapshot().count()
            try store.close()
            return count
        }
    }

    /// Puts files back as they were, the lock apart, as somebody does who restores a copy by hand.
    private func putBack(_ files: [StoreImage.File], _ machine: SimulatedMachine) {
        for path in machine.disk.paths where path != Self.lock { machine.disk.lose(path) }
        for file in files where file.name != "lock" {
            machine.disk.setContents(of: Self.path + "/" + file.name, file.bytes)
        }
    }

    private func changeLock(_ machine: SimulatedMachine, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try #require(machine.disk.contents(of: Self.lock))
        change(&bytes)
        machine.disk.setContents(of: Self.lock, bytes)
    }

    // Ten commits were acknowledged, the log was damaged at its end, where nothing after it says
    // what was durable: opening and fsck took what was left for all there ever was.
    @Test("damage over the end of a log that was not closed is reported, with what is gone")
    func damagedEnd() throws {
        let machine = SimulatedMachine(seed: 41)
        try commit(0..<10, machine)
        try damageEnd(2 << 10, machine)
        let found = open(machine)
        guard case .failure(let error) = found else {
            Issue.record("opened with \(found)")
            return
        }
        let missing = try #require(error.lsn)
        #expect(error.code == .damaged)
        #expect(error.message.contains("LSN \(missing) to 10 are gone"), "\(error)")
        for level in [VerificationLevel.quick, .standard, .deep] {
            let report = try StoreVerifier.verify(
                path: Self.path, level: level, environment: machine.environment)
            #expect(!report.isSound)
            #expect(
                report.findings.contains { $0.message.contains("LSN \(missing) to 10 are gone") },
                "\(level): \(report.findings)")
        }
        let salvaged = try StoreSalvage.recover(
            directory: Self.path, to: "/recovered", options: machine.options())
        #expect(!salvaged.isComplete && salvaged.durableLSN == 10)
        #expect(salvaged.gaps.map(\.firstLSN) == [missing])
        #expect(salvaged.gaps.map(\.lastLSN) == [10])
    }

    @Test(
        "a torn block, or one of another lineage, counts for nothing",
        arguments: [0, 1, 2, 3])
    func worthless(kind: Int) throws {
        let machine = SimulatedMachine(seed: 42)
        try commit(0..<10, machine)
        try damageEnd(2 << 10, machine)
        try changeLock(machine) { bytes in
            switch kind {
            case 0:
                for place in [264, 328, 8712, 9224] where place < bytes.count { bytes[place] ^= 1 }
            case 1: bytes = Array(bytes[..<256])
            case 2:
                for place in [256, 320, 8704, 9216] where place + 28 <= bytes.count {
                    bytes[place + 8] ^= 1
                    let sum = checksum(of: Array(bytes[place..<place + 24]))
                    withUnsafeBytes(of: sum.littleEndian) {
                        bytes.replaceSubrange(place + 24..<place + 28, with: $0)
                    }
                }
            default: bytes = []
            }
        }
        let count = try open(machine).get()
        #expect(count > 3 && count < 10)
    }

    // A user who believed that the changes after the damage were gone would have written them off.
    @Test("damage in the middle of the log is not put down to what the lock says")
    func damageInTheMiddle() throws {
        let machine = SimulatedMachine(seed: 46)
        try commit(0..<40, machine)
        let path = try #require(
            machine.disk.paths.filter { $0.hasSuffix(".segment") }.min())
        machine.disk.corrupt(path, at: 2000)
        let failure = #expect(throws: StoreError.self) { try open(machine).get() }
        #expect(failure?.code == .damaged)
        #expect(
            failure?.description.contains("`lock`") == false, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test("blocks of the lock that can't be read count for nothing, and do not keep a store closed")
    func unreadableBlocks() throws {
        var metCount = 0
        for call in 0..<400 {
            let machine = SimulatedMachine(seed: 47)
            try commit(0..<4, machine)
            var names: [String] = []
            machine.disk.setObserver { names.append($0) }
            machine.disk.setFault(.inputOutput, atCall: call)
            let opened = capture { () throws(StoreError) in
                try Store.open(at: Self.path, options: machine.options())
            }
            machine.disk.setObserver(nil)
            machine.disk.clearFaults()
            let name = call < names.count ? names[call] : ""
            switch opened {
            case .success(let store):
                if name.hasPrefix("read"), name.hasSuffix("/lock") { metCount += 1 }
                try #expect(store.snapshot().count() == 4, "call \(call), \(name)")
                try store.close()
                if call >= names.count { return #expect(metCount > 0) }
            case .failure(let error):
                let isLock = name.hasPrefix("read") && name.hasSuffix("/lock")
                #expect(!isLock, "call \(call): \(error)")
            }
        }
    }

    @Test("an older lock says less than the log holds, and nothing is wrong")
    func olderLock() throws {
        let machine = SimulatedMachine(seed: 43)
        try commit(0..<10, machine)
        let older = try #require(machine.disk.contents(of: Self.lock))
        try commit(10..<20, machine)
        machine.disk.setContents(of: Self.lock, older)
        #expect(try open(machine).get() == 20)
    }

    @Test("an older copy of a closed store, put back under a newer lock, is recognized")
    func olderCopyOfClosedStore() throws {
        let machine = SimulatedMachine(seed: 44)
        try commit(0..<10, machine)
        #expect(try open(machine).get() == 10)
        let files = machine.files
        try commit(10..<40, machine)
        putBack(files, machine)
        // What the lock says of commits that are gone must not come back after a power cut.
        for round in 0..<3 as Range<UInt64> {
            let store = try Store.open(at: Self.path, options: machine.options())
            try #expect(store.snapshot().count() == 10 + Int(round))
            try store.write { try $0.put("new", forKey: 100 + round) }
            machine.crashAndRestart()
        }
        #expect(try open(machine).get() == 13)
    }

    @Test("where an older copy looks like damage, the message says what to do")
    func olderCopyOfStoreInUse() throws {
        let machine = SimulatedMachine(seed: 45)
        try commit(0..<10, machine)
        let files = machine.files
        try commit(10..<40, machine)
        putBack(files, machine)
        guard case .failure(let error) = open(machine) else {
            Issue.record("an older copy opened")
            return
        }
        #expect(error.code == .damaged)
        #expect(error.message.contains("an older copy of the files was put back"), "\(error)")
        #expect(error.message.contains("remove the file `lock`"), "\(error)")
        machine.disk.lose(Self.lock)
        #expect(try open(machine).get() == 10)
    }

    @Test("a copy of a directory in use is not measured by the lock that was copied with it")
    func copyInUse() throws {
        let machine = SimulatedMachine(seed: 46)
        try commit(0..<10, machine)
        let files = machine.files
        try commit(10..<20, machine)
        let lock = try #require(machine.disk.contents(of: Self.lock))
        try machine.fileSystem.createDirectory("/copy")
        for file in files {
            machine.disk.setContents(
                of: "/copy/" + file.name, file.name == "lock" ? lock : file.bytes)
        }
        let report = try StoreVerifier.verify(
            path: "/copy", level: .deep, environment: machine.environment)
        #expect(report.isSound, "\(report.findings)")
        #expect(try open(machine, at: "/copy").get() == 10)
    }
}
