import Foundation
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Random histories of objects of all kinds: at each position the consumer of a feed has what one
/// has that begins anew there.
///
/// `TRAVERTINE_OBSERVED_HISTORIES=N` sets the number of histories of each kind, by default 12 of
/// 24. A failure prints its seed.
@Suite("Feeds of objects, random histories")
struct ObjectFeedHistoryTests {
    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["TRAVERTINE_SEED"].flatMap { UInt64($0) } ?? 1
        let count = environment["TRAVERTINE_OBSERVED_HISTORIES"].flatMap { UInt64($0) }
        let all = Array(first..<first + (count ?? 24))
        return count == nil ? SampledNumbers.some(12, of: all) : all
    }

    private func run(_ seed: UInt64, _ schema: WorldSchema) throws {
        let history = try ObservedHistory(seed: seed, schema)
        var random = SeededRandom(seed: seed &* 31)
        try history.values.fill(history.world, 16)
        let realm = history.watching
        var feed = try realm.feed(named: "follower")
        feed.keyCountMax = random.chance(50) ? 3 : 2 << 20
        var consumer = ObjectFeedConsumer()
        var stored: (consumer: ObjectFeedConsumer, position: FeedPosition)?
        for step in 0..<12 {
            for _ in 0..<random.below(4) { try history.write() }
            if random.chance(15) { try history.world.compact() }
            if random.chance(15) { try realm.store.checkpoint() }
            switch random.below(10) {
            case 0: continue
            case 1:
                // It goes on from what it has stored, or from what it acknowledged.
                feed.close()
                feed = try realm.feed(named: "follower")
                feed.keyCountMax = 3
                if let stored {
                    consumer = stored.consumer
                    try feed.resume(after: stored.position)
                }
            case 2:
                // It fails in between.
                var rest = random.below(20)
                do {
                    while try feed.read({ event in
                        if rest == 0 { throw CancellationError() }
                        rest -= 1
                        consumer.take(event)
                    }) {}
                } catch is CancellationError {}
                consumer.forgetPart()
            default: break
            }
            try consumer.readAll(feed)
            try check(consumer, realm, "seed \(seed), step \(step)")
            if random.chance(70) { try feed.acknowledge() }
            if let position = consumer.position { stored = (consumer, position) }
        }
        #expect(consumer.problems == [], "seed \(seed)")
        #expect(!consumer.objects.isEmpty, "seed \(seed)")
    }

    private func check(_ consumer: ObjectFeedConsumer, _ realm: Realm, _ name: String) throws {
        let feed = try realm.feed(named: "whole")
        var whole = ObjectFeedConsumer()
        try whole.readAll(feed)
        feed.close()
        try realm.removeFeed(named: "whole")
        let differences = consumer.differences(from: whole)
        #expect(differences == [], "\(name)")
    }

    @Test("the consumer has what the realm holds, with properties of all types")
    func allTypes() throws {
        for seed in Self.seeds { try run(seed, WorldModels.schema) }
    }

    @Test("the consumer has what the realm holds, over random schemas")
    func randomSchemas() throws {
        for seed in Self.seeds { try run(seed, RandomSchema.schema(seed: seed)) }
    }
}
