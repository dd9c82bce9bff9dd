import Dispatch
import Foundation
import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import Travertine
@testable import TravertineStore

/// Documentation/Live.md 3, T-L3a: what waits for the disk after an asynchronous commit.
@Suite("The sync of an asynchronous commit")
struct AsyncDurabilityTests {
    /// A realm of a queue on a simulated disk. Its background work is done when a test asks for it.
    private final class Scene {
        let machine = SimulatedMachine(seed: 14)
        let queue = DispatchQueue(label: "asynchronous commits")
        let realm: Realm
        private var tokens: [NotificationToken] = []
        /// Errors of commits, "nil" for none, and what the block that observes was notified of.
        private(set) var events: [String] = []

        init(
            _ name: String, _ durability: Realm.Durability = .commit,
            _ change: (inout StoreOptions) -> Void = { _ in }
        ) throws {
            var options = machine.options()
            change(&options)
            let configuration = Realm.Configuration(
                fileURL: URL(filePath: "/async-\(name)", directoryHint: .isDirectory),
                objectTypes: [Deposit.self], durability: durability)
            realm = try SharedStore.$simulatedOptions.withValue(options) { [queue] in
                try Realm(configuration: configuration, queue: queue)
            }
            queue.sync {
                tokens = [
                    realm.objects(Deposit.self).observe { [unowned self] change in
                        guard case .update(_, _, let insertions, _) = change else { return }
                        events.append("inserted \(insertions)")
                    }
                ]
                realm.refresh()
            }
            settle()
        }

        /// Does what is to be done in the background, and waits for the blocks of the queue.
        func settle() {
            machine.executor.drain()
            for _ in 0..<3 { queue.sync {} }
        }

        /// Commits an object without waiting, and settles nothing.
        ///
        /// - Returns: how many objects the realm shows then.
        func commit(_ id: Int) -> Int {
            queue.sync {
                realm.beginWrite()
                realm.add(Deposit(value: ["id": id]))
                realm.commitAsyncWrite { [unowned self] error in
                    events.append(error.map { "\(type(of: $0))" } ?? "nil")
                }
                realm.refresh()
                return realm.objects(Deposit.self).count
            }
        }

        func takeEvents() -> [String] {
            queue.sync {
                defer { events = [] }
                return events
            }
        }

        var count: Int { queue.sync { realm.objects(Deposit.self).count } }

        func end() {
            queue.sync { tokens = [] }
            machine.executor.removeAll()
        }
    }

    @Test("the thread that commits leads no sync, and its realm shows the state before until then")
    func leader() throws {
        let scene = try Scene("leader")
        defer { scene.end() }
        let first = scene.machine.disk.callCount
        #expect(scene.commit(1) == 0)
        for _ in 0..<3 { scene.queue.sync {} }
        let calls = scene.machine.calls(since: first)
        #expect(calls.contains { $0.hasPrefix("write ") && $0.hasSuffix(".segment") })
        #expect(!calls.contains { $0.hasPrefix("sync ") }, "\(calls)")
        #expect(scene.takeEvents() == [])
        scene.settle()
        #expect(scene.machine.calls(since: first).contains { $0.hasPrefix("sync ") })
        #expect(scene.takeEvents() == ["inserted [0]", "nil"])
        #expect(scene.count == 1)
    }

    @Test("a sync that fails is reported by the commit, and nobody is notified of what it changed")
    func failure() throws {
        let scene = try Scene("failure")
        defer { scene.end() }
        for id in 1...2 {
            _ = scene.commit(id)
            scene.settle()
        }
        #expect(scene.takeEvents() == ["inserted [0]", "nil", "inserted [1]", "nil"])
        _ = scene.commit(3)
        let first = scene.machine.disk.callCount
        scene.settle()
        let calls = scene.machine.calls(since: first)
        let sync = try #require(calls.firstIndex { $0.hasPrefix("sync ") }, "\(calls)")
        #expect(scene.takeEvents() == ["inserted [2]", "nil"])
        _ = scene.commit(4)
        // The next commit makes the same calls.
        scene.machine.disk.setFault(.inputOutput, atCall: sync)
        scene.settle()
        scene.machine.disk.clearFaults()
        #expect(scene.takeEvents() == ["Error"])
        scene.queue.sync { scene.realm.refresh() }
        #expect(scene.takeEvents() == [] && scene.count == 3)
    }

    @Test(
        "a commit that compaction can't keep up with is reported later, and no thread sleeps",
        arguments: [Realm.Durability.commit, .unsynced])
    func throttled(durability: Realm.Durability) throws {
        let sleepCount = SharedCount()
        let scene = try Scene("throttled-\(durability)", durability) {
            $0.environment.sleep = { _ in sleepCount.add() }
        }
        defer { scene.end() }
        let throttle = scene.realm.store.compaction.throttle
        throttle.set(rate: 0.000_001, now: scene.machine.environment.now())
        _ = scene.commit(1)
        scene.settle()
        #expect(scene.takeEvents() == ["inserted [0]"])
        scene.machine.executor.advance(byNanoseconds: UInt64(WriteThrottle.delayMax) - 1)
        scene.settle()
        #expect(scene.takeEvents() == [])
        scene.machine.executor.advance(byNanoseconds: UInt64(WriteThrottle.delayMax))
        scene.settle()
        #expect(scene.takeEvents() == ["nil"])
        #expect(sleepCount.value == 0)
        throttle.set(rate: nil, now: scene.machine.environment.now())
    }

    private final class SharedCount: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.wrappingAdd(1, ordering: .relaxed) }
    }
}
