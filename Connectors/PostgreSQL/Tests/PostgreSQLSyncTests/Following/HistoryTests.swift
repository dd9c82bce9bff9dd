import Foundation
import PostgreSQLServer
import PostgreSQLSync
import Synchronization
import Testing
import Travertine

/// Random histories of objects of all kinds, copied at random moments over connections that fail:
/// in the end the tables are those of a copy that is made at once.
///
/// `TRAVERTINE_SYNC_HISTORIES=N` sets the number of histories (20 by default). The name of a test
/// that failed has its seed.
@Suite("Random histories on the server")
struct HistoryTests {
    static var seeds: Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["TRAVERTINE_SEED"].flatMap { UInt64($0) } ?? 1
        let count = environment["TRAVERTINE_SYNC_HISTORIES"].flatMap { UInt64($0) } ?? 20
        return first..<first + count
    }

    @Test("tables that follow are those of a fresh copy", arguments: seeds)
    func following(seed: UInt64) throws {
        let history = try SyncedHistory(seed: seed)
        for step in 0..<14 { try history.advance(step) }
        try history.end()
    }
}

/// A realm with a random history, and the tables that follow it.
private final class SyncedHistory {
    private let seed: UInt64
    private let fixture: SyncFixture
    private let proxy: FaultProxy
    private var random: SeededRandom
    private var writer: HistoryWriter
    private var realm: Realm?
    private var isLater = false
    private var synchronizer: Synchronizer?
    /// How often the synchronizer may ask whether it is cancelled.
    private var patience = Int.max
    private let isStalled = SharedFlag()

    init(seed: UInt64) throws {
        self.seed = seed
        fixture = try SyncFixture()
        proxy = try fixture.proxy()
        random = SeededRandom(seed: seed)
        writer = HistoryWriter(seed: seed &* 31)
        realm = try fixture.open(HistoryModels.types)
        fixture.options.mapping.collections = MappingOptions.Collections.allCases[random.below(3)]
        fixture.options.mapping.embedded = MappingOptions.Embedded.allCases[random.below(2)]
        if random.chance(30) { fixture.options.mapping.source = "it's \\ one" }
        if random.chance(50) { fixture.options.loadCommitCount = 1 + random.below(20) }
    }

    private func write(_ count: Int) throws {
        guard let realm else { return }
        for _ in 0..<count { try writer.write(realm) }
    }

    func advance(_ step: Int) throws {
        try write(random.below(5))
        if random.chance(15) { try realm?.store.compact() }
        if random.chance(15) { try reopen(later: step > 6) }
        if random.chance(25) { return }
        if random.chance(50) { synchronizer = nil }
        prepareFault()
        try run()
        proxy.pass()
        patience = .max
        isStalled.value.store(false, ordering: .releasing)
    }

    /// Opens the realm again, with more types and properties if `later`.
    private func reopen(later: Bool) throws {
        (synchronizer, realm) = (nil, nil)
        isLater = isLater || later
        realm = try fixture.open(
            isLater ? HistoryModels.Later.types : HistoryModels.types, version: isLater ? 1 : 0)
    }

    private func prepareFault() {
        switch random.below(9) {
        case 0: proxy.cut(.toServer, afterByteCount: 1 + random.below(30_000))
        case 1: proxy.cut(.toClient, afterByteCount: 1 + random.below(6_000))
        case 2: proxy.intercept("COMMIT") { .cutAfterAnswer }
        case 3: proxy.intercept("COMMIT") { .cut }
        case 4: patience = random.below(60)
        case 5:
            // Cancelled while the server's answer does not come.
            let isStalled = isStalled
            proxy.intercept("BEGIN") {
                isStalled.value.store(true, ordering: .releasing)
                return .stall
            }
        case 6:
            patience = random.below(4)
            proxy.stall()
        case 7: proxy.dropConnections()
        default: break
        }
    }

    private func run() throws {
        if synchronizer == nil, let realm {
            synchronizer = try fixture.synchronizer(
                realm, through: proxy,
                isCancelled: { [unowned self] in
                    patience -= 1
                    return patience < 0 || isStalled.value.load(ordering: .acquiring)
                })
        }
        _ = try synchronizer?.run(follows: false)
    }

    /// Copies the rest, and compares.
    func end() throws {
        try run()
        let realm = try #require(self.realm)
        let fresh = try fixture.freshCopy(realm)
        #expect(try fixture.differences(fixture.schema, fresh) == [], "seed \(seed)")
        // What compaction writes in between moves the position of a new copy only.
        let positions = try [fixture.schema, fresh].map {
            try fixture.value("SELECT lsn FROM \($0).travertine_sync").flatMap { Int($0) } ?? 0
        }
        #expect(0 < positions[0] && positions[0] <= positions[1], "seed \(seed)")
        let count = try fixture.value("SELECT count(*) FROM \"Reading\"")
        #expect(count == "\(writer.readingCount)", "seed \(seed)")
    }
}

/// What the proxy's thread says to the one that copies.
private final class SharedFlag: Sendable {
    let value = Atomic(false)
}
