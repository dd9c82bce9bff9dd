import Foundation
import PostgreSQLSync
import Testing
import Travertine
import TravertineStore

/// Realms that were put back to an older state, and went on.
@Suite("Realms with another history")
struct OtherHistoryTests {
    private static let types: [ObjectBase.Type] = [Kept.self, Later.self]
    private static let sampled: [ObjectBase.Type] = [Kept.self, Sample.self]
    private static let measured: [ObjectBase.Type] = [Kept.self, Numbered.self]

    /// Fills and copies a realm, goes on, copies, and puts it back to the first state.
    private func putBack(
        _ fixture: SyncFixture, _ types: [ObjectBase.Type], first: (Realm) -> Void,
        then: (Realm) -> Void
    ) throws -> Realm {
        let files = FileManager.default
        var realm: Realm? = try fixture.open(types)
        try realm?.write { if let realm { first(realm) } }
        try fixture.sync(#require(realm))
        realm = nil
        try files.copyItem(at: fixture.files(), to: fixture.files("older"))
        realm = try fixture.open(types)
        try realm?.write { if let realm { then(realm) } }
        try fixture.sync(#require(realm))
        realm = nil
        try files.removeItem(at: fixture.files())
        try files.moveItem(at: fixture.files("older"), to: fixture.files())
        return try fixture.open(types)
    }

    @Test("all is copied again, and the tables have what the realm has")
    func again() throws {
        let fixture = try SyncFixture()
        let realm = try putBack(
            fixture, Self.types,
            first: { for id in 0..<5 { $0.add(Kept(value: ["id": id, "list": [id]])) } },
            then: { realm in
                realm.delete(realm.objects(Kept.self).where { $0.id < 2 })
                for id in 10..<15 { realm.add(Kept(value: ["id": id, "list": [1, 2, 3]])) }
                realm.add(Later(value: ["code": "x"]))
            })
        try realm.write { realm.add(Kept(value: ["id": 20, "list": [4]])) }
        var reasons: [String] = []
        try fixture.sync(
            realm, report: { if case .load(let reason, _) = $0 { reasons.append(reason) } })
        #expect(reasons == ["otherHistory"])
        #expect(
            try fixture.lines("SELECT id FROM \"Kept\" ORDER BY 1") == [
                "0", "1", "2", "3", "4", "20",
            ])
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test(
        "asymmetric objects without primary key can't be distinguished: it ends, and nothing changed"
    )
    func indistinguishable() throws {
        let fixture = try SyncFixture()
        let realm = try putBack(
            fixture, Self.sampled, first: { $0.create(Sample.self, value: ["number": 1]) },
            then: { $0.create(Sample.self, value: ["number": 2]) })
        try realm.write { realm.create(Sample.self, value: ["number": 3]) }
        let error = try #require(throws: SyncError.self) { try fixture.sync(realm) }
        #expect("\(error)".contains("Sample"))
        #expect(try fixture.lines("SELECT number FROM \"Sample\" ORDER BY 1") == ["1", "2"])
        // What the messages say: the rows that the realm does not have any more are kept.
        fixture.options.rebuilds = true
        let refusal = try #require(throws: SyncError.self) { try fixture.sync(realm) }
        #expect("\(refusal)".contains("ALTER TABLE"))
        try fixture.connection.execute("ALTER TABLE \"Sample\" RENAME TO \"Before\"")
        try fixture.sync(realm)
        #expect(try fixture.lines("SELECT number FROM \"Before\" ORDER BY 1") == ["1", "2"])
        #expect(try fixture.lines("SELECT number FROM \"Sample\" ORDER BY 1") == ["1", "3"])
    }

    @Test("an optional primary key does not identify rows, and so does not distinguish them")
    func optionalKey() throws {
        let fixture = try SyncFixture()
        let realm = try putBack(
            fixture, [Kept.self, Named.self],
            first: { $0.create(Named.self, value: ["code": "a", "list": [1]] as [String: Any]) },
            then: { $0.create(Named.self, value: ["code": "b", "list": [2]] as [String: Any]) })
        try realm.write {
            realm.create(Named.self, value: ["code": "c", "list": [3]] as [String: Any])
        }
        let error = try #require(throws: SyncError.self) { try fixture.sync(realm) }
        #expect("\(error)".contains("Named") && "\(error)".contains("optional"))
        #expect(try fixture.lines("SELECT code FROM \"Named\" ORDER BY 1") == ["a", "b"])
        #expect(try fixture.lines("SELECT value FROM \"Named_list\" ORDER BY 1") == ["1", "2"])
    }

    @Test("types that a load leaves out keep their history, also when others follow a new one")
    func leftOut() throws {
        for commitCount in [nil, 1] {
            let fixture = try SyncFixture()
            fixture.options.loadCommitCount = commitCount
            let realm = try putBack(
                fixture, Self.sampled,
                first: { $0.create(Sample.self, value: ["number": 1]) },
                then: { $0.create(Sample.self, value: ["number": 2]) })
            for number in 3..<5 {
                try realm.write {
                    realm.create(Sample.self, value: ["number": number])
                    realm.add(Kept(value: ["id": number]))
                }
                try fixture.sync(realm, types: ["Kept"])
            }
            #expect(try fixture.lines("SELECT id FROM \"Kept\" ORDER BY 1") == ["3", "4"])
            for _ in 0..<2 {
                let error = try #require(throws: SyncError.self) { try fixture.sync(realm) }
                guard case .indistinguishable(["Sample"]) = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            #expect(try fixture.lines("SELECT number FROM \"Sample\" ORDER BY 1") == ["1", "2"])
            // Rows that are not there can't be those of others.
            try fixture.connection.execute("DELETE FROM \"Sample\"")
            try fixture.sync(realm)
            #expect(try fixture.differencesFromFreshCopy(realm) == [])
            let mapping = try #require(try fixture.value("SELECT mapping FROM travertine_sync"))
            #expect(!mapping.contains("loadingLineage"))
        }
    }

    @Test("types that are left out, and come again, of one history are the same objects")
    func sameHistory() throws {
        for commitCount in [nil, 1] {
            let fixture = try SyncFixture()
            fixture.options.loadCommitCount = commitCount
            let realm = try fixture.open(Self.sampled)
            for (number, types) in [nil, ["Kept"], nil, ["Sample"], ["Kept"], nil].enumerated() {
                try realm.write {
                    realm.create(Sample.self, value: ["number": number])
                    realm.add(Kept(value: ["id": number]))
                }
                try fixture.sync(realm, types: types)
                let mapping = try #require(
                    try fixture.value("SELECT mapping FROM travertine_sync"))
                #expect(!mapping.contains("loadingLineage"))
            }
            #expect(try fixture.differencesFromFreshCopy(realm) == [])
        }
    }

    @Test("where the server has no position, the load of a type does not prove that of others")
    func unknownHistory() throws {
        let fixture = try SyncFixture()
        let realm = try putBack(
            fixture, Self.sampled, first: { $0.create(Sample.self, value: ["number": 1]) },
            then: { $0.create(Sample.self, value: ["number": 2]) })
        try realm.write { realm.create(Sample.self, value: ["number": 3]) }
        try fixture.connection.execute("UPDATE travertine_sync SET position = NULL")
        try fixture.sync(realm, types: ["Kept"])
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try fixture.lines("SELECT number FROM \"Sample\" ORDER BY 1") == ["1", "2"])
    }

    @Test("a load that begins over the same connection knows the position that it has reached")
    func loadAgain() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(Self.sampled)
        try realm.write { realm.create(Sample.self, value: ["number": 1]) }
        try fixture.sync(realm)
        func loadTwice(_ reason: FeedSnapshotReason) throws {
            // As in the beginning, but for the tables.
            try fixture.connection.execute(
                "UPDATE travertine_sync SET position = NULL; DELETE FROM \"Sample\"")
            try BatchRun(fixture, realm, feed: "sync").loadAgain(reason)
        }
        try loadTwice(.fellBehind)
        #expect(try fixture.lines("SELECT number FROM \"Sample\"") == ["1"])
        let error = try #require(throws: SyncError.self) { try loadTwice(.otherHistory) }
        guard case .indistinguishable(["Sample"]) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test("asymmetric objects with primary key are distinguished, and those copied before stay")
    func numbered() throws {
        let fixture = try SyncFixture()
        let realm = try putBack(
            fixture, Self.measured, first: { $0.create(Numbered.self, value: ["id": 1]) },
            then: { $0.create(Numbered.self, value: ["id": 2]) })
        try realm.write { realm.create(Numbered.self, value: ["id": 3]) }
        try fixture.sync(realm)
        #expect(try fixture.lines("SELECT id FROM \"Numbered\" ORDER BY 1") == ["1", "2", "3"])
    }

    @Test("a type that the older state does not have is empty")
    func goneType() throws {
        let fixture = try SyncFixture()
        let files = FileManager.default
        var realm: Realm? = try fixture.open([Kept.self])
        try realm?.write { realm?.add(Kept(value: ["id": 1])) }
        try fixture.sync(#require(realm))
        realm = nil
        try files.copyItem(at: fixture.files(), to: fixture.files("older"))
        realm = try fixture.open(Self.types)
        try realm?.write { realm?.add(Later(value: ["code": "x"])) }
        try fixture.sync(#require(realm))
        #expect(try fixture.value("SELECT count(*) FROM \"Later\"") == "1")
        realm = nil
        try files.removeItem(at: fixture.files())
        try files.moveItem(at: fixture.files("older"), to: fixture.files())
        let older = try fixture.open([Kept.self])
        try older.write { older.add(Kept(value: ["id": 2])) }
        try fixture.sync(older)
        #expect(try fixture.lines("SELECT id FROM \"Kept\" ORDER BY 1") == ["1", "2"])
        #expect(try fixture.value("SELECT count(*) FROM \"Later\"") == "0")
    }

    @Test("an asymmetric type that the older state does not have is refused when it comes again")
    func asymmetricTypeAgain() throws {
        let fixture = try SyncFixture()
        let files = FileManager.default
        do { try fixture.sync(fixture.open([Kept.self])) }
        try files.copyItem(at: fixture.files(), to: fixture.files("older"))
        do {
            let realm = try fixture.open(Self.sampled)
            try realm.write { realm.create(Sample.self, value: ["number": 1]) }
            try fixture.sync(realm)
        }
        try files.removeItem(at: fixture.files())
        try files.moveItem(at: fixture.files("older"), to: fixture.files())
        do { try fixture.sync(fixture.open([Kept.self])) }
        let realm = try fixture.open(Self.sampled)
        try realm.write { realm.create(Sample.self, value: ["number": 2]) }
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        #expect(try fixture.lines("SELECT number FROM \"Sample\"") == ["1"])
    }
}

private class Kept: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var list: List<Int>
}

private class Later: Object {
    @Persisted(primaryKey: true) var code: String
}

private class Sample: AsymmetricObject {
    @Persisted var number: Int
}

private class Named: AsymmetricObject {
    @Persisted(primaryKey: true) var code: String?
    @Persisted var list: List<Int>
}

private class Numbered: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
}
