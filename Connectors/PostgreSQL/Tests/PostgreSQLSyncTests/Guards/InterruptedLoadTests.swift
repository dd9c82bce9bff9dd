import Foundation
import PostgreSQLSync
import Synchronization
import Testing
import Travertine

/// First loads that have committed a part when they are interrupted, of objects that only their
/// numbers distinguish.
@Suite("Interrupted loads of asymmetric objects without primary key")
struct InterruptedLoadTests {
    private static let types: [ObjectBase.Type] = [Sampled.self, Counted.self]
    private let fixture: SyncFixture

    init() throws {
        fixture = try SyncFixture()
        fixture.options.loadCommitCount = 7
    }

    private func open(_ name: String = "realm") throws -> Realm {
        try fixture.open(Self.types, name)
    }

    /// A realm whose load is cancelled after some of its commits, and then goes on.
    private func interruptedLoad() throws -> Realm {
        let realm = try open()
        try realm.write {
            for number in 0..<50 {
                realm.create(
                    Sampled.self,
                    value: ["celsius": Double(number), "notes": ["a", "\(number)"]]
                        as [String: Any])
                realm.create(
                    Counted.self, value: ["id": number, "notes": ["b"]] as [String: Any])
            }
        }
        try interrupt(realm, after: 4)
        let count = try #require(Int(fixture.value("SELECT count(*) FROM \"Sampled\"") ?? ""))
        try #require((1..<50).contains(count))
        return realm
    }

    private func interrupt(_ realm: Realm, after commitCount: Int) throws {
        let commits = CommitCount()
        var options = fixture.options
        options.statementHandler = { if $0 == "COMMIT" { commits.add() } }
        try fixture.sync(realm, options, isCancelled: { commits.count > commitCount })
        #expect(try fixture.value("SELECT position FROM travertine_sync") == nil)
    }

    @Test("the next command goes on, and everything is there once")
    func goesOn() throws {
        let realm = try interruptedLoad()
        // Those with primary key come then, so that both have rows.
        try interrupt(realm, after: 10)
        try realm.write { realm.create(Sampled.self, value: ["celsius": 50.0]) }
        let summary = try fixture.sync(realm)
        #expect(summary.keptRowCount == 0)
        #expect(try fixture.value("SELECT count(*) FROM \"Sampled\"") == "51")
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
        let mapping = try #require(try fixture.value("SELECT mapping FROM travertine_sync"))
        #expect(!mapping.contains("loadingLineage"))
    }

    @Test("a connection that is lost in between is no more than that")
    func lostConnection() throws {
        let realm = try interruptedLoad()
        try fixture.connection.execute("DROP SCHEMA \(fixture.schema) CASCADE")
        let proxy = try fixture.proxy()
        // The second one or a later one, after which parts are there.
        proxy.cut(.toServer, afterByteCount: 9_000)
        let summary = try fixture.sync(realm, through: proxy)
        #expect(summary.retryCount == 1)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }

    @Test(
        "a copy of the realm is refused, and so is a part that nothing is known of, with what to do"
    )
    func otherHistory() throws {
        do { _ = try interruptedLoad() }
        let files = FileManager.default
        try files.copyItem(at: fixture.files(), to: fixture.files("copy"))
        // As long as the realm is there, a copy is refused for that.
        try files.moveItem(at: fixture.files(), to: fixture.files("away"))
        let copy = try open("copy")
        let refusal = try #require(throws: SyncError.self) { try fixture.sync(copy) }
        guard case .unknownRows(let tables) = refusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(tables == ["Sampled", "Sampled_notes"])
        #expect("\(refusal)".contains("empty these tables"))
        try files.moveItem(at: fixture.files("away"), to: fixture.files())
        let realm = try open()
        try fixture.connection.execute(
            "UPDATE travertine_sync SET mapping = "
                + "regexp_replace(mapping, '\"loadingLineage\":[0-9]+,', '', 'g')")
        #expect(throws: SyncError.self) { try fixture.sync(realm) }
        // What the message says.
        try fixture.connection.execute("DELETE FROM \"Sampled\"; DELETE FROM \"Sampled_notes\"")
        try fixture.sync(realm)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }
}

private class Sampled: AsymmetricObject {
    @Persisted var celsius: Double
    @Persisted var notes: List<String>
}

/// Counts commits, on any thread.
private final class CommitCount: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func add() { state.withLock { $0 += 1 } }
}
