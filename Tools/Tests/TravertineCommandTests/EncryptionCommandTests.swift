import Foundation
import TestSupport
import Testing
import TravertineStore

@Suite("Keys, and rekey")
struct EncryptionCommandTests {
    private let workspace = Workspace()
    private let key = String(repeating: "5a", count: 64)

    /// A store with 300 records and, if asked for, a key in the file `key`.
    private func makeStore(encrypted isEncrypted: Bool = true) throws {
        try workspace.write(key + "\n", to: "key")
        try workspace.write(Data((0..<64).map { $0 }).base64EncodedString(), to: "other")
        let lines = (0..<300).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }
        let run = try workspace.importFile(
            "a.jsonl", lines.joined(separator: "\n"))
        #expect(run.status == 0, "\(run.errors)")
        if isEncrypted {
            let rekey = try workspace.run("rekey", "store", "--new-key-file", "key")
            #expect(rekey.status == 0, "\(rekey.errors)")
        }
    }

    @Test("every command that opens a store takes the key, and asks for it without")
    func allCommands() throws {
        try makeStore()
        try workspace.write("", to: "empty.jsonl")
        let commands: [[String]] = [
            ["inspect", "store/manifest"], ["inspect", "store/0000000001.segment"],
            ["get", "store", "7"], ["scan", "store"], ["put", "store", "new", "1"],
            ["delete", "store", "new"], ["stat", "store"], ["compact", "store"],
            ["fsck", "store"], ["fsck", "--deep", "store"], ["fsck", "--repair", "store"],
            ["dump", "store"], ["backup", "store", "saved"], ["verify", "saved"],
            ["restore", "saved", "restored"], ["diff", "store", "restored"],
            ["recover", "store", "recovered"],
            ["import", "store", "empty.jsonl", "--key", "id"],
        ]
        for command in commands {
            if command[0] != "inspect" {
                let without = try CommandRun(command, in: workspace.directory)
                let status: Int32 =
                    ["fsck", "recover"].contains(command[0]) ? 8 : command[0] == "diff" ? 2 : 77
                #expect(without.status == status, "\(command): \(without.errors)")
                #expect(without.errors.contains("encrypted"), "\(command): \(without.errors)")
            }
            // Stores of keys and values have no objects to compare.
            if command[0] == "diff" { continue }
            let with = try CommandRun(
                command + ["--key-file", "key"], in: workspace.directory)
            #expect(with.status == 0, "\(command): \(with.errors)")
        }
        let other = try workspace.run("stat", "store", "--key-file", "other")
        #expect(other.status == 77 && other.errors.contains("not the one"), "\(other.errors)")
    }

    @Test("a key is a file of 64 bytes, hexadecimal digits or Base64; anything else is refused")
    func keyFiles() throws {
        try makeStore(encrypted: false)
        let bytes = (0..<64).map { UInt8($0) }
        try Data(bytes).write(to: workspace.url("raw"))
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        try workspace.write(digits + "\n", to: "hex")
        try workspace.write(
            Data(bytes).base64EncodedString(options: [.lineLength76Characters]) + "\r\n",
            to: "base64")
        #expect(try workspace.run("rekey", "store", "--new-key-file", "raw").status == 0)
        for name in ["raw", "hex", "base64"] {
            #expect(try workspace.run("get", "store", "7", "--key-file", name).status == 0)
        }
        for (name, text) in [("short", "abc"), ("empty", ""), ("odd", digits + "0")] {
            try workspace.write(text, to: name)
            let run = try workspace.run("get", "store", "7", "--key-file", name)
            #expect(run.status == 65 && run.errors.contains("64 bytes"), "\(run.errors)")
            // An advice to make a key there would cost the one that was nearly given.
            #expect(run.errors.contains("has \(text.utf8.count) bytes"), "\(run.errors)")
            #expect(!run.errors.contains("head -c"), "\(run.errors)")
        }
        let missing = try workspace.run("get", "store", "7", "--key-file", "missing")
        #expect(missing.status == 66 && missing.errors.contains("No such file"))
        let given = try workspace.run("get", "store", "7", "--key-file", digits)
        #expect(given.status == 64 && !given.errors.contains(digits), "\(given.errors)")
    }

    @Test("an empty variable is not taken for no key")
    func emptyVariable() throws {
        try makeStore()
        for command in [["stat", "store"], ["put", "made", "a", "b"]] {
            let run = try CommandRun(
                URL(fileURLWithPath: "/usr/bin/env"),
                ["TRAVERTINE_KEY=", CommandRun.executable().path] + command,
                in: workspace.directory, input: "")
            #expect(run.status == 65 && run.errors.contains("empty"), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: workspace.url("made").path))
    }

    @Test("recover and fsck say that a key is missing, another one, or one too many")
    func keysWithoutManifest() throws {
        try makeStore()
        let manifest = workspace.url("store/manifest")
        let whole = try Data(contentsOf: manifest)
        // One wrong byte in its header: the segments show that the key is the right one.
        var damaged = whole
        damaged[50] ^= 1
        try damaged.write(to: manifest)
        let found = try workspace.run("recover", "store", "found", "--key-file", "key")
        #expect(found.status != 8 && found.output.contains("300"), "\(found.errors)")
        #expect(try workspace.run("get", "found", "7", "--key-file", "key").status == 0)
        try FileManager.default.removeItem(at: manifest)
        for (keys, text) in [([], "Give the key"), (["--key-file", "other"], "one of this key")] {
            let run = try CommandRun(
                ["recover", "store", "none"] + keys, in: workspace.directory)
            #expect(run.status == 8 && run.errors.contains(text), "\(run.errors)")
        }
        let check = try workspace.run("fsck", "store")
        #expect(check.status == 8 && check.errors.contains("Give the key"), "\(check.errors)")
        try workspace.write("{\"id\": 1}\n", to: "b.jsonl")
        #expect(try workspace.run("import", "plain", "b.jsonl", "--key", "id").status == 0)
        try FileManager.default.removeItem(at: workspace.url("plain/manifest"))
        let needless = try workspace.run("recover", "plain", "none", "--key-file", "key")
        #expect(
            needless.status == 8 && needless.errors.contains("not encrypted"),
            "\(needless.errors)")
    }

    @Test("a key that is given for a store that is not encrypted is refused")
    func needlessKey() throws {
        try makeStore(encrypted: false)
        let run = try workspace.run("get", "store", "7", "--key-file", "key")
        #expect(run.status == 77 && run.errors.contains("not encrypted"), "\(run.errors)")
        #expect(try workspace.run("get", "store", "7").status == 0)
    }

    @Test("rekey encrypts, changes the key and decrypts; the records stay")
    func rekey() throws {
        try makeStore(encrypted: false)
        let before = try workspace.run("scan", "store").output
        #expect(try workspace.run("rekey", "store").status == 64)
        #expect(try workspace.run("rekey", "store", "--decrypt").status == 64)
        #expect(try workspace.run("rekey", "store", "--new-key-file", "key").status == 0)
        #expect(try workspace.run("scan", "store", "--key-file", "key").output == before)
        let json = try workspace.run(
            "rekey", "store", "--key-file", "key", "--new-key-file", "other", "--json")
        #expect(try json.json()?["isEncrypted"] as? Bool == true)
        #expect(try workspace.run("scan", "store", "--key-file", "key").status == 77)
        #expect(try workspace.run("scan", "store", "--key-file", "other").output == before)
        #expect(
            try workspace.run("rekey", "store", "--key-file", "other", "--decrypt").status == 0)
        #expect(try workspace.run("scan", "store").output == before)
        #expect(try workspace.run("fsck", "store").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: workspace.directory.path)
        #expect(!names.contains { $0.hasPrefix("store.") }, "\(names)")
    }

    @Test("rekey of a link changes what it leads to, and leaves who may read the files as it was")
    func links() throws {
        try makeStore(encrypted: false)
        let real = workspace.url("store").path
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: real)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: real + "/manifest")
        try FileManager.default.createSymbolicLink(
            atPath: workspace.url("link").path, withDestinationPath: real)
        let run = try workspace.run("rekey", "link", "--new-key-file", "key")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Store.isEncrypted(at: real) == true)
        for (name, expected) in [("", 0o700), ("/manifest", 0o600), ("/0000000001.segment", 0o600)]
        {
            let attributes = try FileManager.default.attributesOfItem(atPath: real + name)
            #expect(attributes[.posixPermissions] as? Int == expected, "\(name)")
        }
        #expect(try workspace.run("get", "link", "7", "--key-file", "key").status == 0)
    }

    @Test("recover finds the records of a segment under another name, and without a manifest")
    func renamedSegment() throws {
        try makeStore()
        try FileManager.default.moveItem(
            at: workspace.url("store/0000000001.segment"), to: workspace.url("store/lost.bak"))
        try FileManager.default.removeItem(at: workspace.url("store/manifest"))
        let run = try workspace.run("recover", "store", "new", "--key-file", "key")
        #expect([0, 4].contains(run.status), "\(run.status) \(run.output)\(run.errors)")
        #expect(try workspace.run("scan", "new", "--key-file", "key").lines.count == 300)
    }

    @Test("rekey refuses what it could lose: an open store, files of others, what is at its place")
    func refusals() throws {
        try makeStore(encrypted: false)
        try workspace.write("mine", to: "store/notes.txt")
        let notes = try workspace.run("rekey", "store", "--new-key-file", "key")
        #expect(notes.status == 64 && notes.errors.contains("notes.txt"), "\(notes.errors)")
        try FileManager.default.removeItem(at: workspace.url("store/notes.txt"))
        let store = try Store.open(at: workspace.url("store").path)
        #expect(try workspace.run("rekey", "store", "--new-key-file", "key").status == 75)
        try store.close()
        try FileManager.default.createDirectory(
            at: workspace.url("store.rekeyed"), withIntermediateDirectories: false)
        let taken = try workspace.run("rekey", "store", "--new-key-file", "key")
        #expect(taken.status == 64 && taken.errors.contains("is whole"), "\(taken.errors)")
        #expect(try workspace.contents().count == 300)
    }

    @Test("a rekey that is killed at any moment leaves the whole store, with one of the two keys")
    func kills() throws {
        try makeStore(encrypted: false)
        try workspace.write(
            (0..<20_000).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }
                .joined(separator: "\n"), to: "large.jsonl")
        #expect(
            try workspace.run("import", "store", "large.jsonl", "--key", "id").status == 0)
        let expected = try workspace.run("scan", "store").output
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        var isEncrypted = false
        for _ in 0..<12 {
            let process = Process()
            process.executableURL = try CommandRun.executable()
            process.currentDirectoryURL = workspace.directory
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.arguments =
                ["rekey", "store"]
                + (isEncrypted ? ["--key-file", "key", "--decrypt"] : ["--new-key-file", "key"])
            try process.run()
            usleep(UInt32.random(in: 0..<600_000, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            isEncrypted = try #require(
                try Store.isEncrypted(at: workspace.url("store").path), "seed \(seed)")
            let key = isEncrypted ? ["--key-file", "key"] : []
            let found = try CommandRun(["scan", "store"] + key, in: workspace.directory)
            #expect(found.output == expected, "seed \(seed)")
            for name in ["store.rekeyed", "store.rekeyed.copying"] {
                try? FileManager.default.removeItem(at: workspace.url(name))
            }
        }
    }
}
