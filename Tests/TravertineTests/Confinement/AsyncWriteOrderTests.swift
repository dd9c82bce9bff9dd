import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Asynchronous writes and observers of one realm")
struct AsyncWriteOrderTests {
    private let directory = TemporaryDirectory()
    private let queue = DispatchQueue(label: "writes and observers")

    private var configuration: Realm.Configuration {
        Realm.Configuration(fileURL: directory.url, objectTypes: [OrderedItem.self])
    }

    /// What the blocks of the queue share.
    private final class Shared: @unchecked Sendable {
        var realm: Realm?
        var tokens: [NotificationToken] = []
        var log: [String] = []
        var count: Int { realm?.objects(OrderedItem.self).count ?? -1 }
    }

    private func open() throws -> Shared {
        let shared = Shared()
        try queue.sync { shared.realm = try Realm(configuration: configuration, queue: queue) }
        return shared
    }

    private func end(_ shared: Shared) {
        queue.sync {
            shared.tokens = []
            shared.realm = nil
        }
    }

    /// Lets blocks of the queue run until a condition holds.
    private func wait(until holds: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 30)
        while !queue.sync(execute: holds) {
            try #require(Date() < deadline, "nothing more happens")
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    @Test("a block that waits for its turn does not run in a transaction that is open already")
    func openTransaction() throws {
        let shared = try open()
        queue.sync {
            shared.realm?.beginWrite()
            shared.realm?.create(OrderedItem.self, value: ["id": 1])
            shared.realm?.writeAsync({
                shared.realm?.create(OrderedItem.self, value: ["id": 2])
            }) { error in shared.log.append(error == nil ? "written" : "failed") }
        }
        // The pending block has looked for its turn by now.
        for _ in 0..<3 { queue.sync {} }
        queue.sync { shared.realm?.cancelWrite() }
        try wait { shared.log == ["written"] }
        queue.sync {
            #expect(shared.realm?.objects(OrderedItem.self).map(\.id) == [2])
        }
        end(shared)
    }

    @Test("the realm shows an asynchronous commit in what waited for it", arguments: [true, false])
    func ownCommit(isObserved: Bool) throws {
        let shared = try open()
        if isObserved {
            queue.sync {
                shared.tokens = [shared.realm!.objects(OrderedItem.self).observe { _ in }]
            }
        }
        for id in 1...20 {
            queue.sync {
                shared.realm?.writeAsync({
                    shared.realm?.create(OrderedItem.self, value: ["id": id])
                }) { _ in shared.log.append("\(shared.count)") }
                _ = shared.count
            }
            try wait { shared.log.count == id }
        }
        queue.sync { #expect(shared.log == (1...20).map(String.init)) }
        end(shared)
    }

    @Test("what is observed inside a transaction that is cancelled gets its initial state")
    func observedInside() throws {
        let shared = try open()
        queue.sync {
            shared.realm?.beginWrite()
            shared.tokens = [
                shared.realm!.objects(OrderedItem.self).observe { change in
                    if case .initial(let found) = change { shared.log.append("\(found.count)") }
                }
            ]
        }
        for _ in 0..<3 { queue.sync {} }
        queue.sync { shared.realm?.cancelWrite() }
        try wait { shared.log == ["0"] }
        end(shared)
    }

    @Test("a transaction that begins later shows what its observers were notified of")
    func deliveryBefore() throws {
        let shared = try open()
        queue.sync {
            shared.tokens = [
                shared.realm!.objects(OrderedItem.self).observe { change in
                    switch change {
                    case .initial(let found): shared.log.append("knows \(found.count)")
                    case .update(let found, _, _, _): shared.log.append("knows \(found.count)")
                    case .error: shared.log.append("error")
                    }
                }
            ]
        }
        try wait { shared.log == ["knows 0"] }
        let other = try Realm(configuration: configuration)
        for id in 1...20 {
            try other.write { other.create(OrderedItem.self, value: ["id": id]) }
            queue.sync {
                shared.realm?.beginAsyncWrite {
                    shared.log.append("begins with \(shared.count)")
                    shared.realm?.cancelWrite()
                }
            }
            try wait { shared.log.last == "begins with \(id)" }
            queue.sync { #expect(shared.log.contains("knows \(id)")) }
        }
        end(shared)
    }

    @Test("asyncWrite inside a transaction that its task has open is refused, and not waited for")
    func insideOwnTransaction() async throws {
        let message = try await ItemWriter().writeInside(configuration)
        #expect(message.contains("inside a write transaction"))
    }
}

private actor ItemWriter {
    func writeInside(_ configuration: Realm.Configuration) async throws -> String {
        let realm = try await Realm.open(configuration: configuration)
        realm.beginWrite()
        defer { realm.cancelWrite() }
        do {
            try await realm.asyncWrite {}
            return "written"
        } catch {
            return "\(error)"
        }
    }
}

final class OrderedItem: Object {
    @Persisted(primaryKey: true) var id: Int
}
