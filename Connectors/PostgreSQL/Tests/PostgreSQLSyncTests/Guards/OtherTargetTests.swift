import Foundation
import PostgreSQLSync
import Testing
import Travertine
import TravertineStore

/// A feed has one copy: commands that name another place, or come from a copy of the realm, must
/// not damage it.
@Suite("Commands for another place, and from a copy of the realm")
struct OtherTargetTests {
    private let fixture: SyncFixture

    init() throws { fixture = try SyncFixture() }

    /// Options for a schema of another name.
    private func otherOptions() -> SyncOptions {
        var options = fixture.options
        options.mapping.schema += "_other"
        return options
    }

    private func schemaCount(_ name: String) throws -> String? {
        try fixture.value(
            "SELECT count(*) FROM information_schema.schemata WHERE schema_name = '\(name)'")
    }

    /// Copies what changed, which must be so many objects and no load.
    private func requireChanges(_ count: Int, _ realm: Realm) throws {
        var loads: [String] = []
        let summary = try fixture.sync(
            realm, report: { if case .load(let reason, _) = $0 { loads.append(reason) } })
        #expect(loads == [] && summary.putCount == count)
    }

    @Test(
        "a command with another schema, and with other types, is refused and changes nothing",
        arguments: [nil, ["Thing"]] as [[String]?])
    func otherSchema(types: [String]?) throws {
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try fixture.sync(realm)
        try FirstSchema.add(3..<5, to: realm)
        let other = otherOptions()
        let before = try #require(try realm.store.feeds.first)
        let error = try #require(throws: SyncError.self) {
            try fixture.sync(realm, types: types, other)
        }
        guard case .otherTarget("sync", other.mapping.schema) = error else {
            Issue.record("\(error)")
            return
        }
        #expect("\(error)".contains("--feed") && "\(error)".contains("--rebuild"))
        #expect(try schemaCount(other.mapping.schema) == "0")
        let after = try #require(try realm.store.feeds.first)
        #expect(after.hasSnapshot && after.acknowledgedLSN == before.acknowledgedLSN)
        try requireChanges(2, realm)
        #expect(try fixture.sync(realm, feed: "second", other).putCount == 5)
        #expect(try fixture.differences(fixture.schema, other.mapping.schema) == [])
    }

    @Test("tables that were dropped by hand are made again with --rebuild only")
    func dropped() throws {
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try fixture.sync(realm)
        try fixture.connection.execute("DROP SCHEMA \(fixture.schema) CASCADE")
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try schemaCount(fixture.schema) == "0")
        fixture.options.rebuilds = true
        #expect(try fixture.sync(realm).putCount == 3)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    /// A realm whose objects are copied, and a copy of its directory; both closed.
    private func makeCopy() throws {
        do {
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<3, to: realm)
            try fixture.sync(realm)
        }
        try FileManager.default.copyItem(at: fixture.files(), to: fixture.files("copy"))
    }

    private func ids() throws -> [String] {
        try fixture.lines("SELECT id FROM \"Thing\" ORDER BY id")
    }

    @Test("a copy of the realm is refused as long as the realm is there, and replaces nothing")
    func copied() throws {
        try makeCopy()
        let copy = try fixture.open(FirstSchema.types, "copy")
        try FirstSchema.add(10..<12, to: copy)
        let error = try #require(throws: SyncError.self) { try fixture.sync(copy) }
        guard case .copyOfRealm(let path) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(URL(filePath: path).lastPathComponent == "realm")
        #expect(try ids() == ["0", "1", "2"])
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(3..<4, to: realm)
        try requireChanges(1, realm)
        // What the message says.
        #expect(try fixture.sync(copy, feed: "copy", otherOptions()).putCount == 5)
        fixture.options.rebuilds = true
        #expect(try fixture.sync(copy).putCount == 5)
        // Now these are the objects of the copy.
        fixture.options.rebuilds = false
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try ids() == ["0", "1", "2", "10", "11"])
    }

    @Test("a copy whose original was moved away takes its place")
    func moved() throws {
        try makeCopy()
        try FileManager.default.moveItem(at: fixture.files(), to: fixture.files("away"))
        let copy = try fixture.open(FirstSchema.types, "copy")
        try FirstSchema.add(10..<11, to: copy)
        try fixture.sync(copy)
        #expect(try ids() == ["0", "1", "2", "10"])
        // From now on that one is refused, wherever it is.
        let realm = try fixture.open(FirstSchema.types, "away")
        try FirstSchema.add(5..<6, to: realm)
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try ids() == ["0", "1", "2", "10"])
    }

    @Test("a realm that was renamed is known under its new name before anything else is copied")
    func renamedWithoutChanges() throws {
        try makeCopy()
        try FileManager.default.removeItem(at: fixture.files("copy"))
        try FileManager.default.moveItem(at: fixture.files(), to: fixture.files("renamed"))
        do {
            try requireChanges(0, try fixture.open(FirstSchema.types, "renamed"))
        }
        try FileManager.default.copyItem(
            at: fixture.files("renamed"), to: fixture.files("copy"))
        let copy = try fixture.open(FirstSchema.types, "copy")
        try FirstSchema.add(10..<11, to: copy)
        let error = try #require(throws: SyncError.self) { try fixture.sync(copy) }
        guard case .copyOfRealm(let path) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(URL(filePath: path).lastPathComponent == "renamed")
        #expect(try ids() == ["0", "1", "2"])
        let realm = try fixture.open(FirstSchema.types, "renamed")
        try FirstSchema.add(3..<4, to: realm)
        try requireChanges(1, realm)
    }

    @Test("--rebuild elsewhere reports that the other copy is not followed any more")
    func rebuiltElsewhere() throws {
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<3, to: realm)
        try fixture.sync(realm)
        var notes: [String] = []
        func note(_ event: SyncEvent) {
            if case .note(let text) = event { notes.append(text) }
        }
        var options = otherOptions()
        options.rebuilds = true
        try fixture.sync(realm, options, report: note)
        #expect(notes.count { $0.contains("is not followed any more") } == 1, "\(notes)")
        notes = []
        fixture.options.rebuilds = true
        try fixture.sync(realm, report: note)
        #expect(notes == [])
    }

    @Test("a realm that was renamed goes on, and so does one under another name of its directory")
    func renamed() throws {
        do {
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<3, to: realm)
            try fixture.sync(realm)
        }
        try FileManager.default.moveItem(at: fixture.files(), to: fixture.files("renamed"))
        do {
            let realm = try fixture.open(FirstSchema.types, "renamed")
            try FirstSchema.add(3..<4, to: realm)
            try requireChanges(1, realm)
        }
        try FileManager.default.createSymbolicLink(
            at: fixture.files("link"), withDestinationURL: fixture.files("renamed"))
        let realm = try fixture.open(FirstSchema.types, "link")
        try FirstSchema.add(4..<5, to: realm)
        try requireChanges(1, realm)
    }

    @Test("tables of a realm before `rekey` are refused, and what the message says helps")
    func otherStore() throws {
        do {
            let realm = try fixture.open(FirstSchema.types)
            try FirstSchema.add(0..<3, to: realm)
            try fixture.sync(realm)
        }
        // As `rekey` makes it: the same objects in another store, without the feeds of the first.
        let realm = try fixture.open(FirstSchema.types, "again")
        try FirstSchema.add(0..<3, to: realm)
        let error = try #require(throws: SyncError.self) { try fixture.sync(realm) }
        guard case .tableExists(_, _, (let store, "sync")?) = error else {
            Issue.record("\(error)")
            return
        }
        let statement = "WHERE store = '\(store)' AND feed = 'sync'"
        #expect("\(error)".contains(statement) && "\(error)".contains("rekey"))
        let tables = try fixture.tables().map { "\"\($0)\"" }.joined(separator: ", ")
        try fixture.connection.execute(
            "DROP TABLE \(tables); DELETE FROM travertine_sync \(statement)")
        #expect(try fixture.sync(realm).putCount == 3)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }
}
