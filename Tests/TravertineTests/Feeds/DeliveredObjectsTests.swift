import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

/// What was deleted because the consumers of feeds had acknowledged it is missed by one that has
/// not come so far: a snapshot reports that (O35).
@Suite("Consumers that miss delivered objects")
struct DeliveredObjectsTests {
    private let machine = SimulatedMachine(seed: 31)

    private func open(_ body: (Realm) throws -> Void) throws {
        let configuration = Realm.Configuration(
            fileURL: URL(filePath: "/delivered-\(UUID())", directoryHint: .isDirectory),
            objectTypes: [DeliveredSample.self, DeliveredPlace.self], durability: .commit)
        try SharedStore.$simulatedOptions.withValue(machine.options(.verified)) {
            try body(try Realm(configuration: configuration))
        }
        machine.executor.removeAll()
    }

    private struct Failure: Error {}

    /// Reads to the end; fails at an event if one is given.
    private func read(
        _ feed: ObjectFeed, failingAt number: Int = .max
    ) throws -> (ids: [Int], snapshots: [FeedSnapshotReason]) {
        var (ids, snapshots, count): ([Int], [FeedSnapshotReason], Int) = ([], [], 0)
        do {
            while try feed.read({ event in
                if case .snapshot(let reason) = event { snapshots.append(reason) }
                count += 1
                if count == number { throw Failure() }
                if case .put(let object) = event,
                    case .int(let id)? = object.document["id"], object.type.isAsymmetric
                {
                    ids.append(Int(id))
                }
            }) {}
        } catch is Failure {}
        return (ids, snapshots)
    }

    private func add(_ realm: Realm, _ ids: ClosedRange<Int>) throws {
        for id in ids {
            try realm.write { realm.create(DeliveredSample.self, value: ["id": id]) }
        }
    }

    /// Another consumer has them, and they are deleted.
    private func deliver(_ realm: Realm, _ count: Int) throws {
        let feed = try realm.feed(named: "other")
        _ = try read(feed)
        try feed.acknowledge()
        feed.close()
        #expect(try realm.outbox.acknowledge(shownBy: "other") == count)
    }

    /// Longer than the maximum age of the feeds.
    private func letAWeekPass() { machine.advance(seconds: 8 * 24 * 3600) }

    @Test("one that was not waited for gets a snapshot, also if its first one was not acknowledged")
    func unacknowledgedSnapshot() throws {
        try open { realm in
            try add(realm, 1...3)
            var feed = try realm.feed(named: "slow")
            #expect(try read(feed).ids == [1, 2, 3])
            let position = try #require(feed.position)
            feed.close()
            try add(realm, 4...5)
            letAWeekPass()
            try deliver(realm, 5)
            try add(realm, 6...6)
            feed = try realm.feed(named: "slow")
            try feed.resume(after: position)
            let (ids, snapshots) = try read(feed)
            #expect(ids == [6] && snapshots == [.missedObjects])
            try feed.acknowledge()
            try feed.resume(after: try #require(feed.position))
            #expect(try read(feed).snapshots == [])
        }
    }

    @Test("it gets another one if it resumes after its old position, since the snapshot failed")
    func brokenSnapshot() throws {
        try open { realm in
            var feed = try realm.feed(named: "slow")
            _ = try read(feed)
            try feed.acknowledge()
            let position = try #require(feed.position)
            feed.close()
            try add(realm, 1...4)
            letAWeekPass()
            try deliver(realm, 4)
            try add(realm, 5...6)
            for number in 1...3 {
                feed = try realm.feed(named: "slow")
                try feed.resume(after: position)
                #expect(try read(feed, failingAt: number).snapshots == [.missedObjects])
                feed.close()
            }
            feed = try realm.feed(named: "slow")
            try feed.resume(after: position)
            let (ids, snapshots) = try read(feed)
            #expect(ids == [5, 6] && snapshots == [.missedObjects])
        }
    }

    @Test("one that has gone back gets a snapshot if something is gone, and else goes on")
    func olderPosition() throws {
        try open { realm in
            let feed = try realm.feed(named: "server")
            _ = try read(feed)
            try feed.acknowledge()
            var positions: [FeedPosition] = []
            for id in 1...4 {
                positions.append(try #require(feed.position))
                try add(realm, id...id)
                _ = try read(feed)
                try feed.acknowledge()
                if id == 2 { #expect(try realm.outbox.acknowledge(shownBy: "server") == 2) }
                // What is no asymmetric object may be gone.
                try realm.write { realm.add(DeliveredPlace(value: ["id": id])) }
                _ = try read(feed)
            }
            for (number, position) in positions.enumerated() {
                try feed.resume(after: position)
                let (ids, snapshots) = try read(feed)
                #expect(snapshots == (number < 2 ? [.missedObjects] : []), "after \(number)")
                #expect(ids == Array(max(3, number + 1)...4), "after \(number)")
            }
        }
    }

    @Test("a feed of other types is not concerned")
    func otherTypes() throws {
        try open { realm in
            let feed = try realm.feed(named: "places", types: [DeliveredPlace.self])
            _ = try read(feed)
            try feed.acknowledge()
            let position = try #require(feed.position)
            try add(realm, 1...3)
            try realm.write { realm.add(DeliveredPlace(value: ["id": 1])) }
            _ = try read(feed)
            try feed.acknowledge()
            try deliver(realm, 3)
            try feed.resume(after: position)
            #expect(try read(feed).snapshots == [])
        }
    }

    @Test("what another store has noted counts for nothing where its records were loaded")
    func otherStore() throws {
        try open { realm in
            try realm.write {
                let transaction = realm.session.requireTransaction()
                let keyspace = try transaction.keyspace(named: DeliveredObjects.keyspaceName)
                let uuid = realm.store.uuid
                for type in UInt32(1)...2 {
                    let value = [uuid.low ^ 1, uuid.high, 1 << 40].flatMap { number in
                        withUnsafeBytes(of: (number as UInt64).littleEndian, Array.init)
                    }
                    try transaction.put(
                        value, forKey: withUnsafeBytes(of: type.bigEndian, Array.init),
                        in: keyspace)
                }
            }
            let feed = try realm.feed(named: "new")
            #expect(try read(feed).snapshots == [.new])
            try feed.acknowledge()
            try add(realm, 1...2)
            let (ids, snapshots) = try read(feed)
            #expect(ids == [1, 2] && snapshots == [])
            try feed.acknowledge()
            // What is noted here takes the place of that.
            #expect(try realm.outbox.acknowledge(shownBy: "new") == 2)
            #expect(try DeliveredObjects(realm.session)?.lsn(ofTypes: [1, 2]) ?? 0 > 0)
        }
    }

    @Test("a damaged record is an error, and nothing is deleted or shown")
    func damagedRecord() throws {
        try open { realm in
            let feed = try realm.feed(named: "copy")
            _ = try read(feed)
            try feed.acknowledge()
            for id in 1...2 {
                try add(realm, id...id)
                _ = try read(feed)
                try feed.acknowledge()
                if id == 1 { #expect(try realm.outbox.acknowledge(shownBy: "copy") == 1) }
            }
            try realm.write {
                let transaction = realm.session.requireTransaction()
                let keyspace = try transaction.keyspace(named: DeliveredObjects.keyspaceName)
                for type in UInt32(1)...2 {
                    try transaction.put(
                        [1, 2, 3], forKey: withUnsafeBytes(of: type.bigEndian, Array.init),
                        in: keyspace)
                }
            }
            let shown = #expect(throws: Realm.Error.self) { try read(feed) }
            #expect(shown?.code == .invalidDatabase)
            #expect(shown?.message.contains(DeliveredObjects.keyspaceName) == true)
            let deleted = #expect(throws: Realm.Error.self) {
                try realm.outbox.acknowledge(shownBy: "copy")
            }
            #expect(deleted?.code == .invalidDatabase)
            #expect(try realm.outbox.read().count == 1)
        }
    }

    @Test("a reader in another process gets one too")
    func elsewhere() throws {
        try open { realm in
            var configuration = realm.configuration
            (configuration.readOnly, configuration.objectTypes) = (true, [])
            let reader = try Realm(configuration: configuration)
            let feed = try reader.feed(named: "outside")
            #expect(try read(feed).snapshots == [.new])
            try feed.acknowledge()
            let position = try #require(feed.position)
            try add(realm, 1...3)
            #expect(try read(feed).ids == [1, 2, 3])
            try feed.acknowledge()
            #expect(try realm.outbox.acknowledge(shownBy: "outside") == 3)
            try feed.resume(after: position)
            #expect(try read(feed).snapshots == [.missedObjects])
        }
    }
}

private class DeliveredSample: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
}

private class DeliveredPlace: Object {
    @Persisted(primaryKey: true) var id: Int
}
