import Foundation
import TestSupport
import Testing

@Suite("backup, restore and verify")
struct BackupCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        let lines = (0..<300).map { "{\"id\": \($0), \"v\": \"value \($0)\"}" }
        _ = try workspace.importFile("a.jsonl", lines.joined(separator: "\n"))
    }

    @Test("backup --verify --json is one object with the counts and what verifying found")
    func verifiedJSON() throws {
        let run = try workspace.run("backup", "store", "saved", "--verify", "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try run.json()?["fileCount"] as? Int ?? 0 > 0)
        let verification = try #require(try run.json()?["verification"] as? [String: Any])
        #expect(verification["keyCount"] as? Int == 300)
        #expect((verification["findings"] as? [Any])?.isEmpty == true, "\(run.output)")
    }

    @Test("a backup is sound, and restores to the same records", arguments: ["link", "copy"])
    func roundTrip(method: String) throws {
        let backup = try workspace.run("backup", "store", "saved", "--method", method, "--json")
        #expect(backup.status == 0, "\(backup.errors)")
        #expect(try backup.json()?["fileCount"] as? Int ?? 0 >= 1)
        let verify = try workspace.run("verify", "saved")
        #expect(verify.status == 0, "\(verify.output)\(verify.errors)")
        #expect(verify.lines.last?.hasSuffix("sound") == true)
        let restore = try workspace.run("restore", "saved", "copy")
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(try workspace.run("scan", "copy").output == workspace.run("scan", "store").output)
        #expect(try workspace.run("put", "copy", "more", "1").status == 0)
        #expect(try workspace.run("fsck", "copy").status == 0)
        #expect(try workspace.run("fsck", "store").status == 0)
    }

    @Test("a second backup says what was there already")
    func incremental() throws {
        // More than one segment: the last one grows, those before it stay.
        let value = String(repeating: "x", count: 1000)
        let lines = (0..<3000).map { "{\"id\": \(10000 + $0), \"v\": \"\(value)\"}" }
        _ = try workspace.importFile("large.jsonl", lines.joined(separator: "\n"))
        _ = try workspace.run("backup", "store", "saved", "--method", "copy")
        _ = try workspace.run("put", "store", "more", "1")
        let second = try workspace.run("backup", "store", "saved", "--method", "copy")
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.errors.contains("already there"), "\(second.errors)")
        _ = try workspace.run("restore", "saved", "copy")
        let found = try workspace.run("get", "copy", "more").output
        #expect(found.trimmingCharacters(in: .newlines) == "1")
    }

    @Test("a backup that lost a file, or a damaged one, is whole again when it is renewed")
    func renewal() throws {
        _ = try workspace.run("backup", "store", "saved", "--method", "copy")
        let saved = workspace.directory.path + "/saved"
        let names = try FileManager.default.contentsOfDirectory(atPath: saved)
        for suffix in [".segment", ".pages"] {
            let name = try #require(names.first { $0.hasSuffix(suffix) })
            let path = saved + "/" + name
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[bytes.count / 3] ^= 0x40
            // Where a byte counts is the store's matter: all of the first third is written over.
            for place in 64..<(bytes.count / 3) { bytes[place] ^= 0x11 }
            try bytes.write(to: URL(filePath: path))
            let verify = try workspace.run("verify", "saved")
            #expect(verify.status == 65, "\(name): \(verify.output)")
            #expect(verify.output.contains("renew it"), "\(verify.output)")
            #expect(!verify.output.contains("Restore the store from a backup"))
            try FileManager.default.removeItem(atPath: path)
            let missing = try workspace.run("verify", "saved")
            #expect(missing.status == 65)
            #expect(missing.output.contains("Renew the backup"), "\(missing.output)")
            #expect(try workspace.run("backup", "store", "saved", "--method", "copy").status == 0)
            let whole = try workspace.run("verify", "saved")
            #expect(whole.status == 0, "\(name): \(whole.output)")
        }
    }

    @Test(
        "--verify finds what is damaged in the store, and so in the backup",
        arguments: [false, true])
    func verifiedBackup(isDamaged: Bool) throws {
        let store = workspace.directory.appendingPathComponent("store")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: store.path)
                .first { $0.hasSuffix(".segment") })
        if isDamaged {
            let segment = store.appendingPathComponent(name)
            var bytes = try Data(contentsOf: segment)
            // Values of records, not the header.
            let value = try #require(bytes.range(of: Data("value 100".utf8)))
            bytes[value.lowerBound] ^= 0x40
            try bytes.write(to: segment)
        }
        #expect(try workspace.run("backup", "store", "unread").status == 0)
        let run = try workspace.run("backup", "store", "saved", "--verify")
        #expect(run.status == (isDamaged ? 65 : 0), "\(run.errors)")
        #expect(run.errors.contains(isDamaged ? "travertine fsck store" : "saved is sound"))
    }

    @Test("a backup in the directory of its store, or around it, is refused")
    func overlappingBackup() throws {
        let before = try FileManager.default.contentsOfDirectory(
            atPath: workspace.directory.path + "/store")
        for target in ["store/sub", "store/../store/sub", "."] {
            let run = try workspace.run("backup", "store", target)
            #expect(run.status != 0, "\(target)")
            #expect(run.errors.contains("apart from it"), "\(target): \(run.errors)")
        }
        let after = try FileManager.default.contentsOfDirectory(
            atPath: workspace.directory.path + "/store")
        #expect(Set(after) == Set(before))
        #expect(try workspace.run("fsck", "store").status == 0)
    }

    @Test("fsck of a backup names the commands for backups")
    func fsckOfBackup() throws {
        _ = try workspace.run("backup", "store", "saved")
        for option in ["--quick", "--repair"] {
            let run = try workspace.run("fsck", "saved", option)
            #expect(run.status == 8, "\(run.output)\(run.errors)")
            #expect(run.errors.contains("travertine verify"), "\(run.errors)")
            #expect(!run.errors.contains("travertine import"), "\(run.errors)")
        }
    }

    @Test("a store that another process writes is backed up, and verified by its backup")
    func openElsewhere() throws {
        let importing = try RunningImport(in: workspace.directory)
        importing.feed("{\"id\": 5000, \"v\": \"later\"}\n")
        #expect(try workspace.run("put", "store", "a", "b").status == 75, "it is open")
        let fsck = try workspace.run("fsck", "store")
        #expect(fsck.status == 8)
        #expect(fsck.errors.contains("travertine backup"), "\(fsck.errors)")
        #expect(fsck.errors.contains("travertine verify"), "\(fsck.errors)")
        for _ in 0..<2 {
            let backup = try workspace.run("backup", "store", "saved")
            #expect(backup.status == 0, "\(backup.errors)")
            let verify = try workspace.run("verify", "saved")
            #expect(verify.status == 0, "\(verify.output)\(verify.errors)")
        }
        _ = importing.end(by: SIGINT)
        #expect(try workspace.run("restore", "saved", "copy").status == 0)
        let keys = try workspace.run("scan", "copy", "--keys-only").lines
        #expect(keys.count >= 300)
        #expect(try Set(keys).isSubset(of: workspace.keys()))
        #expect(try workspace.run("fsck", "store").status == 0)
        let verify = try workspace.run("verify", "store")
        #expect(verify.status == 66 && verify.errors.contains("travertine fsck"))
    }

    @Test("a damaged backup ends with 65, no backup with 66, another store's with 65")
    func refusals() throws {
        _ = try workspace.run("backup", "store", "saved", "--method", "copy")
        let directory = workspace.directory.appendingPathComponent("saved")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let segment = directory.appendingPathComponent(
            try #require(names.first { $0.hasSuffix(".segment") }))
        var bytes = try Data(contentsOf: segment)
        bytes[4000] ^= 1
        try bytes.write(to: segment)
        let damaged = try workspace.run("verify", "saved")
        #expect(damaged.status == 65, "\(damaged.output)")
        #expect(damaged.output.contains("DAMAGED"))
        let refused = try workspace.run("restore", "saved", "copy")
        #expect(refused.status == 65, "\(refused.output)")
        #expect(refused.errors.contains("recover saved"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: workspace.directory.path + "/copy"))
        // A user with nothing else may want it as it is.
        let asItIs = try workspace.run("restore", "saved", "copy", "--unverified")
        #expect(asItIs.status == 0, "\(asItIs.errors)")
        #expect(try workspace.run("fsck", "copy").status == 4)
        #expect(try workspace.run("restore", "saved", "copy").status == 64, "it is not empty")
        try workspace.write("a file", to: "occupied")
        let occupied = try workspace.run("restore", "saved", "occupied")
        #expect(occupied.status == 64, "\(occupied.errors)")
        #expect(occupied.errors.contains("occupied is there already"), "\(occupied.errors)")
        let recovered = try workspace.run("recover", "saved", "recovered")
        #expect(recovered.status == 4, "\(recovered.output)")
        #expect(try workspace.run("scan", "recovered", "--keys-only").lines.count >= 299)
        let list = directory.appendingPathComponent("backup")
        let whole = try Data(contentsOf: list)
        try whole.dropLast().write(to: list)
        let unread = try workspace.run("verify", "saved")
        #expect(unread.status == 65 && unread.errors.contains("recover BACKUP"), "\(unread.errors)")
        try whole.write(to: list)
        #expect(try workspace.run("verify", "store").status == 66)
        #expect(try workspace.run("restore", "nowhere", "elsewhere").status == 66)
        _ = try workspace.run("put", "other", "a", "b")
        #expect(try workspace.run("backup", "other", "saved").status == 65)
        #expect(try workspace.run("backup", "store", "b", "--rate", "0").status == 64)
    }
}
