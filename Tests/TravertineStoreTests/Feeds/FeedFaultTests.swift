import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Every call to the disk goes wrong once, in a short life of a store and of the consumer of a
/// feed: afterwards the consumer comes to have what the store holds.
@Suite struct FeedFaultTests {
    /// How a life went.
    private struct Life {
        let machine: SimulatedMachine
        var consumer = FeedConsumer()
        /// The consumer as it stored its data last, before it acknowledged.
        var stored = FeedConsumer()
        var errors: [StoreError] = []

        init(seed: UInt64) { machine = SimulatedMachine(seed: seed) }

        mutating func live() {
            do {
                var options = machine.options(segmentByteCount: 16 << 10)
                options.createIfMissing = true
                let store = try Store.open(at: SimulatedMachine.path, options: options)
                let feed = try store.feed(named: "copy")
                for round in 0..<3 {
                    try store.write { transaction in
                        for number in 0..<3 {
                            try transaction.put("\(round)", forKey: "key \(number + round)")
                        }
                        try transaction.delete("key \(round)")
                    }
                    machine.executor.drain()
                    try consumer.readAll(feed, limit: 2)
                    stored = consumer
                    try feed.acknowledge()
                }
                feed.close()
                try store.close()
            } catch let error as StoreError {
                errors.append(error)
            } catch {
                Issue.record("an error without a type: \(error)")
            }
        }

        /// Goes on, on a disk that works; what differs, or nil.
        mutating func goOn(byPosition: Bool) throws -> String? {
            let store = try Store.open(
                at: SimulatedMachine.path, options: machine.options(segmentByteCount: 16 << 10))
            let feed = try store.feed(named: "copy")
            consumer = stored
            if byPosition, let position = stored.position { try feed.resume(after: position) }
            try store.write { try $0.put("last", forKey: "last") }
            try consumer.readAll(feed)
            try feed.acknowledge()
            let contents = try store.feedContents()
            feed.close()
            try store.close()
            return consumer.contents == contents
                ? nil : "\(consumer.contents.mapValues(\.count)) for \(contents.mapValues(\.count))"
        }
    }

    @Test(
        "whatever call fails, or the machine stops in, the consumer comes to have everything",
        arguments: [DiskFault.inputOutput, .noSpace, .short, .crashBefore, .crashDuring])
    func everyCall(fault: DiskFault) throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var whole = Life(seed: seed)
        whole.live()
        #expect(whole.errors.isEmpty, "\(whole.errors)")
        for call in SampledNumbers(below: whole.machine.disk.callCount, oneOf: 3) {
            var life = Life(seed: seed)
            life.machine.disk.setFault(fault, atCall: call)
            life.live()
            let place = "\(fault), call \(call), seed \(seed), \(life.errors)"
            if fault == .short { #expect(life.errors.isEmpty, "\(place)") }
            life.machine.disk.clearFaults()
            if fault != .short { life.machine.crashAndRestart() }
            try #expect(life.goOn(byPosition: call % 2 == 0) == nil, "\(place)")
        }
    }
}
