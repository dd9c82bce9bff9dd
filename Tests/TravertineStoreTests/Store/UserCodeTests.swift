import Dispatch
import Foundation
import Locks
import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Calls of the store from code that it calls itself: none may wait for its own thread.
@Suite("Calls from event handlers and progress")
struct UserCodeTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = TemporaryDirectory() }

    @Test("closing from a background job's event is refused, and closing afterwards works")
    func closingInABackgroundJob() throws {
        let held = Locked<Store?>(nil)
        let codes = Locked<[StoreError.Code?]>([])
        let isTold = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        var options = StoreOptions()
        options.checkpointInterval = 0
        options.eventHandler = { event in
            guard case .checkpointWritten = event, let store = held.withLock({ $0 }) else { return }
            mayGoOn.wait()
            let found = [
                code { () throws(StoreError) in try store.close() },
                code { () throws(StoreError) in try store.checkpoint() },
                code { () throws(StoreError) in try store.compact() },
                code { () throws(StoreError) in _ = try store.measureSpace() },
            ]
            codes.withLock { $0 += found }
            held.withLock { $0 = nil }
            isTold.signal()
        }
        let store = try Store.open(at: path, options: options)
        held.withLock { $0 = store }
        try store.write { try $0.put("v", forKey: "k") }
        mayGoOn.signal()
        isTold.wait()
        #expect(codes.withLock { $0 } == [.misuse, .misuse, .misuse, .misuse])
        try store.close()
        let again = try Store.open(at: path)
        #expect(again.readsAsText("k") == "v")
        try again.close()
    }

    @Test("closing from the progress of a backup is refused, and the backup goes on")
    func closingInABackup() throws {
        let store = try Store.open(at: path)
        try store.write { try $0.put("v", forKey: "k") }
        var codes: [StoreError.Code?] = []
        try store.backup(to: directory.path("backup")) { _ in
            codes.append(code { () throws(StoreError) in try store.close() })
        }
        #expect(!codes.isEmpty)
        #expect(codes.allSatisfy { $0 == .misuse })
        try store.close()
        #expect(try StoreBackup.verify(path: directory.path("backup")).findings.isEmpty)
    }

    @Test("reading from an event handler works")
    func readingInAHandler() throws {
        let held = Locked<Store?>(nil)
        let seen = Locked<[String]>([])
        var options = StoreOptions()
        options.eventHandler = { event in
            guard case .checkpointWritten = event, let store = held.withLock({ $0 }) else { return }
            let text = store.readsAsText("k")
            let count = (try? store.statistics.index.keyCount) ?? -1
            seen.withLock { $0.append("\(text) \(count > 0)") }
        }
        let store = try Store.open(at: path, options: options)
        held.withLock { $0 = store }
        try store.write { try $0.put("v", forKey: "k") }
        try store.checkpoint()
        #expect(seen.withLock { $0 } == ["v true"])
        held.withLock { $0 = nil }
        try store.close()
    }
}

/// The code of the error that `body` throws.
private func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
    if case .failure(let error) = capture(body) { return error.code }
    return nil
}
