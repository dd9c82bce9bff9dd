import Foundation
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Directories of somebody else's: whatever is called with their path, they stay as they are.
@Suite("Directories that are not a store's")
struct ForeignDirectoryTests {
    private static let contents: [[String: String]] = [
        ["note.txt": "mine"],
        ["lock": "4711\n"],
        ["lock": "process of manufacture"],
        ["lock": "4711\n", "note.txt": "mine"],
        ["lock": "", "note.txt": "mine"],
        ["manifest": "apiVersion: 1\n"],
        ["manifest": "apiVersion: 1\n", "lock": "4711\n"],
        ["manifest.new": "apiVersion: 1\n"],
        ["manifest.removed": "what was removed\n"],
        ["manifest.removed": "what was removed\n", "lock": "4711\n"],
        ["manifest.removed": "", "scrub": "mine", "note.txt": "mine"],
        ["manifest.removed": "", "manifest.new": "", "note.txt": "mine"],
        ["building": "a plan\n"],
        ["backup": "0 3 * * * tar\n"],
        ["backup.unfinished": "", "backup.txt": "mine"],
        ["0000000001.segment": "mine"],
        ["lock/pid": "4711\n"],
        ["manifest/index.html": "mine"],
        ["backup/index.html": "mine"],
    ]

    private func fill(_ path: String, _ files: [String: String]) throws {
        for (name, text) in files {
            let url = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    private func everything(in path: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = path + "/" + name
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
            if isDirectory.boolValue {
                found[name] = "(directory)"
            } else {
                found[name] = String(
                    decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
            }
        }
        return found
    }

    /// Everything that takes the path of a store that is there, by name.
    private func readings(_ path: String, aside: String) -> [(String, () throws -> Void)] {
        var existing = StoreOptions()
        existing.createIfMissing = false
        return [
            ("open", { _ = try Store.open(at: path, options: existing) }),
            ("reader", { _ = try StoreReader.open(at: path) }),
            ("backup of", { _ = try StoreBackup.make(of: path, to: aside) }),
            ("verify", { _ = try StoreVerifier.verify(path: path) }),
            ("quick", { _ = try StoreVerifier.verify(path: path, level: .quick) }),
            ("repair", { _ = try StoreRepair.repair(path: path) }),
            ("verify backup", { _ = try StoreBackup.verify(path: path) }),
            ("restore from", { _ = try StoreBackup.restore(from: path, to: aside) }),
            ("adopt", { try StoreCopy.adopt(at: path) }),
        ]
    }

    @Test("nothing is created or changed in a directory with other files", arguments: contents)
    func untouched(files: [String: String]) throws {
        let directory = TemporaryDirectory()
        let path = directory.path("foreign")
        let aside = directory.path("aside")
        let source = directory.path("source")
        let store = try Store.open(at: source)
        try store.write { try $0.put("value", forKey: "key") }
        try store.backup(to: directory.path("sound backup"))
        try fill(path, files)
        let before = try everything(in: path)
        let calls =
            readings(path, aside: aside) + [
                ("create", { _ = try Store.open(at: path) }),
                ("remove", { _ = try Store.remove(at: path) }),
                (
                    "remove if",
                    {
                        _ = try Store.remove(at: path, options: StoreOptions()) { _ in true }
                        throw StoreError(.notAStore, "There is nothing to remove.")
                    }
                ),
                (
                    "finish removal",
                    {
                        try Store.finishRemoval(at: path)
                        throw StoreError(.notAStore, "There is nothing to remove.")
                    }
                ),
                ("backup to", { try store.backup(to: path) }),
                ("live backup to", { try StoreBackup.make(of: source, to: path) }),
                (
                    "restore to",
                    { try StoreBackup.restore(from: directory.path("sound backup"), to: path) }
                ),
                ("recover to", { _ = try StoreSalvage.recover(directory: source, to: path) }),
            ]
        for (name, call) in calls {
            #expect(throws: StoreError.self, "\(name)") { try call() }
            #expect(try everything(in: path) == before, "\(name)")
        }
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: aside))
    }

    @Test("what reads a store makes nothing where there is none")
    func reading() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("empty")
        let missing = directory.path("missing")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        for place in [path, missing] {
            for (name, call) in readings(place, aside: directory.path("aside")) {
                #expect(throws: StoreError.self, "\(name)") { try call() }
            }
        }
        #expect(try directory.names(in: "") == ["empty"])
        #expect(try directory.names(in: "empty") == [])
    }

    @Test("the place where a store is built is not taken from another program's lock")
    func building() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("source"))
        try store.backup(to: directory.path("backup"))
        try store.close()
        try fill(directory.path("target.restoring"), ["lock": "4711\n"])
        let error = #expect(throws: StoreError.self) {
            try StoreBackup.restore(from: directory.path("backup"), to: directory.path("target"))
        }
        #expect(error?.code == .misuse)
        #expect(try everything(in: directory.path("target.restoring")) == ["lock": "4711\n"])
    }

    /// The lock is there before anything else of a store, and a power cut may leave it without a
    /// byte.
    @Test("a creation that a kill or a power cut interrupted is begun again", arguments: [0, 1])
    func interruptedCreation(kind: Int) throws {
        let path = SimulatedMachine.path
        for call in 0..<200 {
            let machine = SimulatedMachine(seed: UInt64(call))
            machine.disk.setFault(kind == 0 ? .crashBefore : .crashDuring, atCall: call)
            let first = capture { () throws(StoreError) in
                try Store.open(at: path, options: machine.options()).close()
            }
            machine.disk.clearFaults()
            if kind == 0 { machine.restart() } else { machine.crashAndRestart() }
            let again = try Store.open(at: path, options: machine.options())
            try again.write { try $0.put("value", forKey: "key") }
            try again.close()
            if case .success = first { return }
        }
        Issue.record("200 calls were not enough")
    }

    // Found by a life on a disk that is full: the write of the manifest had ended after some bytes,
    // and the directory was taken for another program's.
    @Test("a creation that a full disk ended in the manifest is begun again", arguments: 1...12)
    func manifestCutShort(byteCount: Int) throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let whole = Manifest.magic + [1, 0, 0, 0]
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(whole.prefix(byteCount)).write(to: URL(fileURLWithPath: path + "/manifest.new"))
        let store = try Store.open(at: path)
        try store.write { try $0.put("value", forKey: "key") }
        try store.close()
        #expect(try directory.names(in: "store").contains("manifest.new") == false)
    }

    @Test("a lock that is a link to nothing is refused, and nothing is made where it leads")
    func lockThatLeadsNowhere() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: path + "/lock", withDestinationPath: directory.path("elsewhere"))
        #expect(throws: StoreError.self) { try Store.open(at: path) }
        #expect(try directory.names(in: "store") == ["lock"])
        #expect(!FileManager.default.fileExists(atPath: directory.path("elsewhere")))
    }
}
