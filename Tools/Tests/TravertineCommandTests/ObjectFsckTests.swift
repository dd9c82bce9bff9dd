import Foundation
import StoreMaintenance
import TestSupport
import Testing
import Travertine
import TravertineStore

@Suite("fsck --deep of objects")
struct ObjectFsckTests {
    private let workspace: Workspace

    init() throws {
        workspace = Workspace()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: workspace.directory.appendingPathComponent("store"),
                objectTypes: [Harbour.self, Berth.self]))
        try realm.write {
            for code in ["a", "b", "c"] { realm.add(Harbour(value: ["code": code, "size": 7])) }
            realm.objects(Harbour.self)[0].berths.append(Berth(value: ["number": 1]))
        }
    }

    /// Deletes the rows of a type, which is known by how many it has, without the object layer.
    private func deleteRows(count: Int) throws {
        let statistics = try #require(try workspace.run("stat", "store", "--json").json())
        let keyspaces = try #require(statistics["keyspaces"] as? [[String: Any]])
        let names = keyspaces.filter { $0["keyCount"] as? Int == count }
            .compactMap { $0["name"] as? String }.filter { $0.hasSuffix(".rows") }
        try #require(names.count == 1, "\(keyspaces)")
        let store = try Store.open(
            at: workspace.directory.appendingPathComponent("store").path)
        let keyspace = try #require(try store.keyspace(named: names[0]))
        try store.write { _ = try $0.deleteAll(in: keyspace) }
        try store.close()
    }

    @Test("sound objects are sound, and --repair has nothing to do")
    func sound() throws {
        for arguments in [["--deep"], ["--deep", "--repair"]] {
            let run = try CommandRun(["fsck", "store"] + arguments, in: workspace.directory)
            #expect(run.status == 0 && run.lines.last == "sound", "\(run.output)\(run.errors)")
        }
    }

    @Test("entries of objects that are gone are found, and --repair builds them anew")
    func repairable() throws {
        try deleteRows(count: 3)
        #expect(try workspace.run("fsck", "store").status == 0)
        let found = try workspace.run("fsck", "store", "--deep")
        #expect(found.status == 4 && found.output.contains("Harbour"), "\(found.output)")
        let repaired = try workspace.run("fsck", "store", "--deep", "--repair", "--json")
        let report = try #require(try repaired.json())
        let repair = try #require(report["repair"] as? [String: Any])
        let actions = try #require(repair["actions"] as? [String])
        #expect(actions.contains { $0.contains("anew from the objects") }, "\(actions)")
        let backup = try #require(repair["backupPath"] as? String)
        #expect(backup.hasSuffix("store.before-repair-1"))
        // The berth has no owner now, which nothing can repair.
        #expect(repaired.status == 4, "\(repaired.output)")
        let again = try workspace.run("fsck", "store", "--deep")
        #expect(again.output.contains("Berth") && !again.output.contains("Harbour.size"))
    }

    @Test("what nothing can repair is not blamed on the log")
    func unrepairable() throws {
        try deleteRows(count: 1)
        let run = try workspace.run("fsck", "store", "--deep", "--repair")
        #expect(run.status == 4, "\(run.output)\(run.errors)")
        #expect(run.output.contains("can't be made anew from the rest"), "\(run.output)")
        #expect(!run.output.contains("the log or the manifest is damaged"), "\(run.output)")
    }

    @Test("what rows make impossible is a finding, the rest is repaired, and the status is 4")
    func impossible() throws {
        let store = try Store.open(at: workspace.directory.appendingPathComponent("store").path)
        let rows = try #require(
            try store.keyspaces.first { keyspace in
                try keyspace.name.hasSuffix(".rows") && store.snapshot().count(in: keyspace) == 3
            })
        // The same object a second time, under a separate number.
        let cursor = try store.snapshot().cursor(in: rows)
        #expect(try cursor.seekToFirst())
        let (key, value) = (cursor.key, try cursor.value)
        try store.write { try $0.put(value, forKey: Array(key.dropLast()) + [99], in: rows) }
        try store.close()
        let run = try workspace.run("fsck", "store", "--deep", "--repair")
        #expect(run.status == 4, "\(run.output)\(run.errors)")
        #expect(run.output.contains("has duplicate values"), "\(run.output)\(run.errors)")
        #expect(run.output.contains("repaired: Built 2 derived keyspaces anew"), "\(run.output)")
    }

    @Test("the store is locked from the first step to the last")
    func locked() throws {
        let path = workspace.directory.appendingPathComponent("store").path
        try deleteRows(count: 3)
        var codes: Set<StoreError.Code?> = []
        func tryToOpen() {
            do {
                try Store.open(at: path).close()
                codes.insert(nil)
            } catch {
                codes.insert((error as? StoreError)?.code)
            }
        }
        _ = try DeepVerification.verify(path: path) { _ in tryToOpen() }
        let repaired = try DeepVerification.repair(path: path) { _ in tryToOpen() }
        #expect(!repaired.actions.isEmpty)
        #expect(codes == [.locked])
        try Store.open(at: path).close()
    }
}
