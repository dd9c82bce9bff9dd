import Foundation
import StoreMaintenance
import Synchronization
import TestSupport
import Testing
import Travertine

/// The program is killed with SIGKILL while pages commit and import.
@Suite("A studio that is killed")
struct KilledStudioTests {
    private static let documentCount = 300

    /// How many commits of each kind were answered.
    private struct Acknowledged {
        var changes = 0
        var imports = 0
    }

    @Test(
        "every commit that was answered is there, and no part of another", .timeLimit(.minutes(5)))
    func kill() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path("realm")
        try Self.fill(path)
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        var counts = Acknowledged()
        for round in 0..<8 {
            let comment = Comment("round \(round), seed \(seed)")
            let acknowledged = try await Self.run(
                path, from: counts, killedAfter: Int.random(in: 1...12, using: &random))
            let found = try Self.counts(path, comment)
            #expect(acknowledged.changes > counts.changes, comment)
            #expect(acknowledged.changes...acknowledged.changes + 1 ~= found.changes, comment)
            #expect(acknowledged.imports...acknowledged.imports + 1 ~= found.imports, comment)
            counts = found
        }
        let report = try StoreVerifier.verify(path: path)
        #expect(report.isSound, "\(report.findings), seed \(seed)")
    }

    private static func fill(_ path: String) throws {
        let realm = try Realm(configuration: configuration(path))
        try realm.write {
            for id in 1...2 { realm.create(Account.self, value: ["id": id, "text": "0"]) }
        }
    }

    private static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .isDirectory),
            objectTypes: [Account.self, Remark.self])
    }

    // MARK: Writing

    /// Runs the program while one page commits and another imports, and kills it in between.
    ///
    /// - Parameters:
    ///   - counts: the commits that are there.
    ///   - number: of commits that are answered before the program is killed.
    /// - Returns: the commits that were answered.
    private static func run(
        _ path: String, from counts: Acknowledged, killedAfter number: Int
    ) async throws -> Acknowledged {
        let studio = try await StudioProcess(path)
        let imports = Mutex(counts.imports)
        async let importing: Void = {
            do {
                while true {
                    try await sendImport(imports.withLock { $0 }, to: studio)
                    imports.withLock { $0 += 1 }
                }
            } catch {
                // The program has ended.
            }
        }()
        var changes = counts.changes
        for _ in 0..<number {
            let answer = try await studio.post("/api/changes", change(changes))
            try #require(answer.status == 200, "\(answer.json)")
            changes += 1
        }
        let socket = try await studio.send("/api/changes", change(changes))
        studio.kill()
        try? socket.close()
        await importing
        return Acknowledged(changes: changes, imports: imports.withLock { $0 })
    }

    /// A commit that counts in both accounts, and adds a remark.
    private static func change(_ number: Int) -> String {
        let sets = [1, 2].map {
            #"{"kind":"set","type":"Account","id":"=\#($0)","path":["text"],"#
                + #""before":"\#(number)","value":"\#(number + 1)"}"#
        }
        let add = #"{"kind":"add","type":"Remark","values":{"text":"\#(number)"}}"#
        return #"{"changes":[\#((sets + [add]).joined(separator: ","))]}"#
    }

    /// A file of accounts in two pieces.
    private static func sendImport(_ number: Int, to studio: StudioProcess) async throws {
        var offset = 0
        for part in 0..<2 {
            let ids = (0..<documentCount / 2).map {
                (number + 1) * 1000 + part * documentCount / 2 + $0
            }
            let text = ids.map { #"{\"id\":\#($0),\"text\":\"imported\"}\n"# }.joined()
            let answer = try await studio.post(
                "/api/import",
                #"{"type":"Account","file":"\#(number)","offset":\#(offset),"text":"\#(text)","#
                    + #""isLast":\#(part == 1)}"#)
            offset = answer.json["received"] as? Int ?? 0
            guard answer.status == 200 else { throw StudioProcessError.noAnswer }
        }
    }

    // MARK: Reading

    /// The commits that are there, each of which must be whole.
    private static func counts(_ path: String, _ comment: Comment) throws -> Acknowledged {
        let realm = try Realm(configuration: configuration(path))
        let accounts = realm.objects(Account.self)
        let texts = accounts.where { $0.id < 1000 }.map(\.text)
        #expect(Set(texts).count == 1, comment)
        let changes = try #require(Int(texts.first ?? ""), comment)
        #expect(realm.objects(Remark.self).count == changes, comment)
        let imported = accounts.where { $0.id >= 1000 }
        #expect(imported.count.isMultiple(of: documentCount), comment)
        return Acknowledged(changes: changes, imports: imported.count / documentCount)
    }
}
