// A program whose main queue is drained by `dispatchMain()`: other threads run its blocks
// (Documentation/Live.md 3, T-L4).
//
// `main-queue-observer DIRECTORY` observes a realm of the main queue, and one of the main actor; a
// thread writes. It prints what the blocks are notified of, and ends.
//
// `main-queue-observer DIRECTORY nested` runs the main loop in a block that `refresh()` calls,
// while a thread commits.
//
// `main-queue-observer DIRECTORY once` uses a realm on the main thread, and runs its loop once, at
// the end. Debug builds print whether the realm has sent a block there.

import Dispatch
import Foundation
import RealmSwift

#if DEBUG
    @testable import Travertine
#endif

final class QueueCount: Object {
    @Persisted var number: Int
}

guard CommandLine.arguments.count >= 2 else {
    fatalError("usage: main-queue-observer DIRECTORY [nested|once]")
}

let configuration = Realm.Configuration(
    fileURL: URL(filePath: CommandLine.arguments[1]), objectTypes: [QueueCount.self],
    durability: .unsynced)

/// What belongs to the main actor.
@MainActor
final class Observed {
    static let shared = Observed()
    private var realm: Realm?
    private var tokens: [NotificationToken] = []
    private var lastOfQueue = 0
    private var lastOfActor = 0
    nonisolated static let count = 5

    func begin() async throws {
        // The main queue and the main actor are one place, with one realm.
        let realm = try await Realm(configuration: configuration)
        let ofQueue = try Realm(configuration: configuration, queue: .main)
        guard realm == ofQueue else { fatalError("two realms on the main queue") }
        self.realm = realm
        let results = realm.objects(QueueCount.self)
        tokens = [
            results.observe { change in
                dispatchPrecondition(condition: .onQueue(.main))
                if case .update(let results, _, _, _) = change {
                    let count = results.count
                    MainActor.assumeIsolated { Observed.shared.note(queue: count) }
                }
            },
            await results.observe(on: MainActor.shared) { _, change in
                if case .update(let results, _, _, _) = change {
                    let count = results.count
                    MainActor.assumeIsolated { Observed.shared.note(actor: count) }
                }
            },
        ]
        realm.refresh()
        writeOnThread()
    }

    private func writeOnThread() {
        Thread.detachNewThread {
            do {
                let realm = try Realm(configuration: configuration)
                for number in 1...Observed.count {
                    try realm.write {
                        _ = realm.create(QueueCount.self, value: ["number": number])
                    }
                }
            } catch {
                fatalError("\(error)")
            }
        }
    }

    private func note(queue count: Int) {
        lastOfQueue = count
        end()
    }

    private func note(actor count: Int) {
        lastOfActor = count
        end()
    }

    private func end() {
        guard lastOfQueue == Self.count, lastOfActor == Self.count else { return }
        print("notified of \(Self.count) on the queue and the actor")
        exit(0)
    }
}

/// What is observed where a block runs the main loop.
@MainActor
final class NestedLoop {
    private let realm: Realm
    private var token: NotificationToken?
    private var hasRun = false

    init() throws { realm = try Realm(configuration: configuration) }

    func run() throws {
        token = realm.objects(QueueCount.self).observe { change in
            guard case .update(let results, _, _, _) = change else { return }
            let count = results.count
            MainActor.assumeIsolated { self.note(count) }
        }
        realm.refresh()
        try realm.write { _ = realm.create(QueueCount.self) }
        // Not from a block of the main queue, so that a loop inside runs its blocks.
        realm.refresh()
        while true { RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    }

    private func note(_ count: Int) {
        if count == 2 {
            print("notified of 2 after the loop inside")
            exit(0)
        }
        let isCommitted = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                let realm = try Realm(configuration: configuration)
                try realm.write { _ = realm.create(QueueCount.self) }
            } catch {
                fatalError("\(error)")
            }
            isCommitted.signal()
        }
        isCommitted.wait()
        // Blocks run in order: after this one, the one that the commit sent has run.
        DispatchQueue.main.async { MainActor.assumeIsolated { self.hasRun = true } }
        while !hasRun { RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    }
}

#if DEBUG
    /// A realm of the main thread, which runs its loop once.
    @MainActor
    final class LoopAtEnd {
        private let realm: Realm
        private var hasRun = false

        init() throws { realm = try Realm(configuration: configuration) }

        func run() throws {
            try realm.write { _ = realm.create(QueueCount.self) }
            let thread = realm.session.generation.pointee.thread
            // Blocks run in order: after this one, all that were sent before have run.
            DispatchQueue.main.async { MainActor.assumeIsolated { self.hasRun = true } }
            while !hasRun {
                RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
            }
            // A block takes the thread's number back.
            let isSame = realm.session.generation.pointee.thread == thread && thread != 0
            print(isSame ? "no block was sent" : "a block was sent")
            exit(0)
        }
    }
#endif

DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60)) { fatalError("not notified") }
if CommandLine.arguments.last == "nested" {
    do { try NestedLoop().run() } catch { fatalError("\(error)") }
}
#if DEBUG
    if CommandLine.arguments.last == "once" {
        do { try LoopAtEnd().run() } catch { fatalError("\(error)") }
    }
#endif
Task { @MainActor in
    do { try await Observed.shared.begin() } catch { fatalError("\(error)") }
}
dispatchMain()
