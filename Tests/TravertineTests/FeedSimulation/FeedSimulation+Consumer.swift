import StoreWorkload
import TestSupport
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

extension FeedSimulation {
    private func openedFeed(_ realm: Realm) throws -> ObjectFeed {
        if let feed { return feed }
        if isOutside {
            // It shows what is durable.
            try realm.store.sync()
            var configuration = configuration
            (configuration.readOnly, configuration.objectTypes) = (true, [])
            configuration.migrations = []
            reader = try Realm(configuration: configuration)
        }
        let options = byteCountMax.map { count in
            var options = FeedOptions()
            options.maximumByteCount = count
            return options
        }
        let opened = try (reader ?? realm).feed(
            named: "follower", typeNames: typeNames, options: options)
        opened.keyCountMax = random.chance(50) ? 3 : 2 << 20
        feed = opened
        if storesPosition, let position = stored.position { try opened.resume(after: position) }
        return opened
    }

    /// Reads to the end and compares, or fails in between.
    func read(_ realm: Realm) throws {
        guard random.chance(30) else { return try readAll(realm) }
        let feed = try openedFeed(realm)
        try noting {
            // It fails in between.
            var rest = random.below(40)
            do {
                while try feed.read({ event in
                    if rest == 0 { throw FeedConsumer.Stop() }
                    rest -= 1
                    consumer.take(event)
                }) {}
            } catch is FeedConsumer.Stop {}
            consumer.forgetPart()
        }
    }

    /// Reads until there is nothing more, and compares.
    func readAll(_ realm: Realm) throws {
        let feed = try openedFeed(realm)
        if isOutside { try realm.store.sync() }
        try noting { try consumer.readAll(feed) }
        try compare(realm)
    }

    /// The consumer of reports reads to the end.
    func readSecond(_ realm: Realm, acknowledges: Bool) throws {
        let feed = try secondFeed ?? realm.feed(named: "second", typeNames: nil)
        secondFeed = feed
        try second.readAll(feed)
        requireReports(second, "the second consumer", &secondMissing)
        guard acknowledges else { return }
        secondStored = second
        secondMissing.didStore(second)
        try feed.acknowledge()
        secondHasBegun = true
    }

    /// A consumer that may have missed some, and does not have them, must have been shown a
    /// snapshot since.
    private func requireReports(
        _ consumer: ObjectFeedConsumer, _ name: String, _ known: inout Missing
    ) {
        let numbers = Set(reports.map(\.number)).subtracting(known.numbers)
            .filter { consumer.reports[Int64($0)] == nil }
        if numbers.isEmpty { return }
        if let count = known.snapshotCount, consumer.snapshots.count > count {
            known.numbers.formUnion(numbers)
            counts.losses += 1
        } else {
            problems.append("\(name) lacks \(numbers.sorted())")
        }
    }

    /// The consumer loses its newest data, and goes on with those that were saved before.
    func stepBack() {
        guard storesPosition else { return }
        guard let saved, random.chance(50) else {
            saved = stored.position == nil ? nil : stored
            return
        }
        closeFeed()
        (stored, consumer) = (saved, saved)
        missing.snapshotCount = saved.snapshots.count
        mayDiffer = true
        counts.stepsBack += 1
    }

    /// Nobody reads for longer than the maximum age of the feeds.
    func letAgesPass() {
        machine.advance(seconds: 8 * 24 * 3600)
        missing.snapshotCount = stored.snapshots.count
        secondMissing.snapshotCount = secondStored.snapshots.count
        mayDiffer = true
    }

    private func noting(_ body: () throws -> Void) throws {
        let before = consumer.snapshots.count
        defer {
            for reason in consumer.snapshots[before...] {
                if reason == .otherHistory { counts.otherHistories += 1 }
                let isExpected =
                    switch reason {
                    case .new: stored.position == nil || mayDiffer || !storesPosition
                    case .otherHistory: mayDiffer
                    case .fellBehind: mayDiffer || isPlaceOpen || byteCountMax != nil
                    case .missedObjects: missing.snapshotCount != nil
                    case .otherTypes: false
                    }
                if !isExpected { problems.append("the feed began again: \(reason)") }
            }
        }
        try body()
    }

    /// The consumer stores what it has; most often it acknowledges that.
    func acknowledge(_ realm: Realm) throws {
        guard let feed, consumer.position != nil, feed.position != nil else { return }
        // The consumer's data first.
        stored = consumer
        missing.didStore(consumer)
        guard random.chance(80) else { return }
        try feed.acknowledge()
        isPlaceOpen = false
        guard random.chance(50) else { return }
        counts.deliveries += try realm.outbox.acknowledge(shownBy: "follower", types: typeNames)
    }

    /// Compares what the consumer has with what one has that begins here.
    private func compare(_ realm: Realm) throws {
        let feed = try realm.feed(named: "whole", typeNames: typeNames)
        var whole = ObjectFeedConsumer()
        try whole.readAll(feed)
        feed.close()
        try realm.removeFeed(named: "whole")
        problems += consumer.differences(from: whole, isChanging: true)
        problems += consumer.problems
        requireReports(consumer, "the consumer", &missing)
        let isOnce = storesPosition && consumer.snapshots.count == 1
        let twice = consumer.reports.filter { $0.value > 1 }
        if isOnce, !twice.isEmpty { problems.append("reports came twice: \(twice.keys)") }
        counts.comparisons += 1
    }
}
