import Foundation
import PostgreSQLServer
import PostgreSQLSync
import Testing
import Travertine

/// A copy that waits for changes needs no older state of the realm than the one that it copied
/// last: what compaction retires can be removed.
@Suite("Copies that follow keep no snapshot")
struct RetiredSegmentTests {
    /// The files of the log that are there.
    private func segments(_ fixture: SyncFixture) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.files().path)
        return Set(names.filter { $0.hasSuffix(".segment") })
    }

    /// Writes on another thread, so that what the realm of this one shows stays as it is.
    private static func addElsewhere(_ ids: Range<Int>, _ files: URL) {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: files, objectTypes: FirstSchema.types))
                try FirstSchema.add(ids, to: realm)
                realm.invalidate()
            } catch {
                Issue.record("\(error)")
            }
            end.signal()
        }
        end.wait()
    }

    @Test("after changes no snapshot is open but the newest one")
    func snapshots() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<5, to: realm)
        realm.invalidate()
        var (commitCount, versions) = (0, [Set<UInt64>]())
        let synchronizer = try fixture.synchronizer(
            realm,
            isCancelled: {
                guard let statistics = try? realm.store.statistics, commitCount > versions.count
                else { return versions.count == 3 }
                // Taking the statistics has the newest one open.
                versions.append(Set(statistics.snapshots.map(\.version)))
                Self.addElsewhere(5 * commitCount..<5 * commitCount + 5, fixture.files())
                return false
            }, report: { if case .committed = $0 { commitCount += 1 } })
        _ = try synchronizer.run(follows: true)
        #expect(versions.map(\.count) == [1, 1, 1])
        #expect(Set(versions).count == 3)
    }

    @Test("what is copied is acknowledged within a second, also if nothing follows it")
    func acknowledged() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<5, to: realm)
        var (commitCount, lsn, isAcknowledged) = (0, UInt64(0), false)
        let end = ContinuousClock.now + .seconds(10)
        let synchronizer = try fixture.synchronizer(
            realm,
            isCancelled: {
                // The second commit comes within a second of the first acknowledgement.
                isAcknowledged =
                    commitCount == 2 && (try? realm.store.feeds.first?.acknowledgedLSN) == lsn
                return isAcknowledged || ContinuousClock.now > end
            },
            report: { event in
                guard case .committed(_, _, let committed, _) = event else { return }
                (commitCount, lsn) = (commitCount + 1, committed)
                if commitCount == 1 { _ = try? FirstSchema.add(5..<10, to: realm) }
            })
        _ = try synchronizer.run(follows: true)
        #expect(isAcknowledged)
    }

    @Test(
        "the command lets the writer remove them, while it follows",
        .enabled(if: ProjectProgram.path("travertine-postgres") != nil, "it was not built"))
    func command() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(FirstSchema.types)
        try FirstSchema.add(0..<5, to: realm)
        let command = Process()
        command.executableURL = URL(
            filePath: try #require(ProjectProgram.path("travertine-postgres")))
        command.arguments = [
            "sync", fixture.files().path, "--to", try SharedServer.running().connectionString,
            "--schema", fixture.schema, "--follow", "--quiet",
        ]
        try command.run()
        defer {
            kill(command.processIdentifier, SIGKILL)
            command.waitUntilExit()
            _ = try? fixture.connection.execute("DROP SCHEMA IF EXISTS \(fixture.schema) CASCADE")
        }
        var count = 5
        func isCopied() -> Bool {
            (try? fixture.value("SELECT count(*) FROM \"Thing\"")) == "\(count)"
        }
        try Deadline.wait(for: "the first load") { isCopied() }
        // Some rounds, as it acknowledges what it has once in a second.
        let first = try segments(fixture)
        try Deadline.wait(.seconds(15), for: "the removal of the first segments") {
            try FirstSchema.add(count..<count + 5, to: realm)
            count += 5
            try Deadline.wait(for: "the changes") { isCopied() }
            // What this process shows is needed, too.
            realm.invalidate()
            try realm.store.compact()
            return try first.isDisjoint(with: segments(fixture))
        }
    }
}
