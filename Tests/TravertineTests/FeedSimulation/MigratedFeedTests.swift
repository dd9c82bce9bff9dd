import Foundation
import RealmSwift
import StoreWorkload
import Testing
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

/// A consumer that was up to date, beside a program that migrates the realm and writes more than is
/// kept for it: the difference of the two versions has no row that was written again as it was.
@Suite("Feeds that fall too far back over a migration")
struct MigratedFeedTests {
    private let machine = SimulatedMachine(seed: 41, fileCapacity: 4 << 20)
    private let url = URL(filePath: "/migrated-\(UUID())", directoryHint: .isDirectory)

    private func configuration(_ version: Int) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: url, schemaVersion: UInt64(version),
            objectTypes: FollowedModels.types(version: version), durability: .commit)
        configuration.migrations = FollowedModels.migrations.filter { $0.version <= version }
        return configuration
    }

    private func overwrite(_ realm: Realm) throws {
        for round in 0..<400 {
            try realm.write {
                realm.dynamicCreate(
                    "Ship", value: ["id": 2, "captain": "round \(round)"].renamed(in: realm),
                    update: .modified)
            }
            machine.executor.drain()
        }
        try realm.store.compact()
    }

    @Test("links are shown by the primary keys of the new version", arguments: [false, true])
    func links(migrates: Bool) throws {
        var options = machine.options(.verified, segmentByteCount: 16 << 10)
        options.checkpointInterval = 40_000
        try SharedStore.$simulatedOptions.withValue(options) {
            var writer: Realm? = try Realm(configuration: configuration(0))
            try writer?.write {
                let port = writer?.dynamicCreate("Port", value: ["name": "Lisbon"])
                writer?.dynamicCreate("Ship", value: ["id": 1, "port": port as Any])
            }
            var outside = configuration(0)
            (outside.readOnly, outside.objectTypes) = (true, [])
            outside.migrations = []
            let reader = try Realm(configuration: outside)
            var bounds = FeedOptions()
            bounds.maximumByteCount = 1000
            let feed = try reader.feed(named: "copy", typeNames: nil, options: bounds)
            var consumer = ObjectFeedConsumer()
            try consumer.readAll(feed)
            try feed.acknowledge()
            #expect(consumer.snapshots == [.new])

            if migrates {
                writer = nil
                machine.executor.drain()
                writer = try Realm(configuration: configuration(1))
            }
            try overwrite(try #require(writer))
            try consumer.readAll(feed)
            // Else the difference is enough.
            #expect(consumer.snapshots == (migrates ? [.new, .fellBehind] : [.new]))
            var whole = ObjectFeedConsumer()
            try whole.readAll(try reader.feed(named: "whole"))
            #expect(consumer.differences(from: whole) == [])
            #expect(whole.objects.values.contains { "\($0)".contains("Lisbon") })
        }
        machine.executor.removeAll()
    }
}

extension [String: Any] {
    /// With the name that a property has in the version of a realm.
    fileprivate func renamed(in realm: Realm) -> [String: Any] {
        guard realm.configuration.schemaVersion > 0 else { return self }
        return [String: Any](uniqueKeysWithValues: map { ($0 == "captain" ? "master" : $0, $1) })
    }
}
