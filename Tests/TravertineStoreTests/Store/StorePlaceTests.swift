import Foundation
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Stores that are made by a load, a restore or a recovery: whatever interrupts it, what has the
/// store's name is whole, and the next attempt is not in the way of what the first one left.
@Suite struct StorePlaceTests {
    private static let target = "/made"

    /// Makes a store on a machine, of the damaged one or of a backup; false if it says that some of
    /// it may be missing, because a source could not be read.
    @discardableResult
    private func make(_ machine: SimulatedMachine, isRestored: Bool) throws -> Bool {
        if isRestored {
            try StoreBackup.restore(
                from: "/backup", to: Self.target, options: BackupOptions(method: .copy),
                environment: machine.environment)
            return true
        }
        let report = try StoreSalvage.recover(
            directory: SimulatedMachine.path, to: Self.target,
            options: machine.options(segmentByteCount: 4096))
        return report.isComplete
    }

    private func machine(_ image: StoreImage) throws -> SimulatedMachine {
        let machine = SimulatedMachine(image.files, seed: 5, fileCapacity: 1 << 20)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.backup(to: "/backup")
        try store.close()
        return machine
    }

    private func contents(_ path: String, _ machine: SimulatedMachine) throws -> [[UInt8]: [UInt8]]
    {
        let store = try Store.open(at: path, options: machine.options())
        let found = try StoreImage.contents(of: store)
        try store.close()
        return Dictionary(
            uniqueKeysWithValues: found.flatMap { name, records in
                records.map { (Array(name.utf8) + [0] + $0.key, $0.value) }
            })
    }

    @Test(
        "a store that is recovered or restored has its name when it is whole, and not before",
        arguments: [DiskFault.crashBefore, .crashDuring, .inputOutput, .noSpace], [false, true])
    func interrupted(fault: DiskFault, isRestored: Bool) throws {
        let image = try StoreImage.make(seed: 17)
        let first = try machine(image)
        let start = first.disk.callCount
        try make(first, isRestored: isRestored)
        let callCount = first.disk.callCount - start
        let expected = try contents(Self.target, first)
        #expect(expected.count == image.contents.values.reduce(0) { $0 + $1.count })
        var unfinishedCount = 0
        for call in stride(from: 0, through: callCount, by: max(1, callCount / 60)) {
            let place: Comment = "\(fault) at call \(call) of \(callCount)"
            let machine = try machine(image)
            machine.disk.setFault(fault, atCall: call)
            let isWhole = try? make(machine, isRestored: isRestored)
            machine.disk.clearFaults()
            machine.crashAndRestart()
            if machine.fileSystem.exists(Self.target) {
                let found = try contents(Self.target, machine)
                #expect(isWhole == false || found == expected, place)
            } else {
                #expect(isWhole == nil, place)
                unfinishedCount += 1
                do {
                    try make(machine, isRestored: isRestored)
                    #expect(try contents(Self.target, machine) == expected, place)
                } catch let error as StoreError where error.code == .misuse {
                    // It was whole and had only not got its name.
                    let work = try #require(error.file)
                    #expect(try contents(work, machine) == expected, place)
                }
            }
        }
        #expect(unfinishedCount > 20)
    }

    @Test(
        "a store can be made under any name that the file system takes",
        arguments: [1, 245, 246, 250, 255], ["n", "ü"])
    func longNames(byteCount: Int, letter: String) throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("source"))
        try store.write { try $0.put("value", forKey: "key") }
        try store.backup(to: directory.path("backup"))
        try store.close()
        let name =
            String(repeating: "x", count: byteCount % letter.utf8.count)
            + String(repeating: letter, count: byteCount / letter.utf8.count)
        try StoreBackup.restore(
            from: directory.path("backup"), to: directory.path(name),
            options: BackupOptions(method: .copy))
        let restored = try Store.open(at: directory.path(name))
        #expect(restored.readsAsText("key") == "value")
        try restored.close()
        // Nothing is left beside it.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(""))
        #expect(Set(names) == ["source", "backup", name])
    }

    @Test("what an interrupted load left is cleared away, and nothing else is")
    func leftOver() throws {
        let directory = TemporaryDirectory()
        let source = try Store.open(at: directory.path("source"))
        try source.write { try $0.put("value", forKey: "key") }
        var dump: [UInt8] = []
        _ = try source.snapshot().dump { dump += $0.withUnsafeBytes { [UInt8]($0) } }
        try source.close()
        func load() throws {
            var rest = dump[...]
            _ = try Store.load(at: directory.path("made")) { buffer in
                let piece = rest.prefix(buffer.count)
                buffer.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
        }
        let work = directory.path("made.loading")
        // As a program leaves it that was killed: a segment, and the mark that more was to come.
        try FileManager.default.createDirectory(
            atPath: work, withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: work + "/building"))
        for name in try directory.names(in: "source") where name.hasSuffix(".segment") {
            try FileManager.default.copyItem(
                atPath: directory.path("source/" + name), toPath: work + "/" + name)
        }
        try load()
        #expect(!FileManager.default.fileExists(atPath: work))
        let made = try Store.open(at: directory.path("made"))
        #expect(try made.get("key").map { String(decoding: $0, as: UTF8.self) } == "value")
        try made.close()

        try FileManager.default.removeItem(atPath: directory.path("made"))
        for name in ["notes.txt", "whole", "used"] {
            if name != "notes.txt" {
                try FileManager.default.copyItem(atPath: directory.path("source"), toPath: work)
                // One that was not closed is still somebody's store.
                if name == "used" { try FileManager.default.removeItem(atPath: work + "/manifest") }
            } else {
                try FileManager.default.createDirectory(
                    atPath: work, withIntermediateDirectories: false)
                try Data([1]).write(to: URL(fileURLWithPath: work + "/" + name))
            }
            let names = try directory.names(in: "made.loading")
            #expect { try load() } throws: { ($0 as? StoreError)?.code == .misuse }
            #expect(try directory.names(in: "made.loading") == names)
            try FileManager.default.removeItem(atPath: work)
        }
        let other = try Store.open(at: work)
        try Data().write(to: URL(fileURLWithPath: work + "/building"))
        #expect { try load() } throws: { ($0 as? StoreError)?.code == .locked }
        try other.close()
    }

    @Test("a store is not recovered into what it is recovered from, by whatever path")
    func apart() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("damaged")
        let store = try Store.open(at: path)
        try store.write { try $0.put("value", forKey: "key") }
        try store.close()
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: path)
        try FileManager.default.createDirectory(
            atPath: directory.path("empty"), withIntermediateDirectories: false)
        let names = try directory.names(in: "damaged")
        func code(_ source: String, _ target: String) -> StoreError.Code? {
            let result = capture { () throws(StoreError) in
                try StoreSalvage.recover(directory: source, to: target)
            }
            guard case .failure(let error) = result else { return nil }
            return error.code
        }
        for target in ["damaged/new", "link/new", "empty/../damaged/new"] {
            #expect(code(path, directory.path(target)) == .misuse, "\(target)")
        }
        #expect(try directory.names(in: "damaged") == names)
        // What is built would be built in the damaged store itself.
        let work = directory.path("new.recovering")
        try FileManager.default.moveItem(atPath: path, toPath: work)
        #expect(code(work, directory.path("new")) == .misuse)
        #expect(try directory.names(in: "new.recovering") == names)
        #expect(code(work, directory.path("empty")) == nil)
        #expect(try StoreVerifier.verify(path: directory.path("empty")).isSound)
    }
}
