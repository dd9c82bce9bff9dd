import Foundation
import ShippingFixtures
import Testing
import TravertineStore

@testable import StoreShipping

/// A backup of which something was deleted or damaged: what is left of it can be restored, and it
/// can be made whole again.
@Suite("What is left of a damaged backup")
struct LostObjectTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()

    @Test("Without a manifest, or with a damaged one, the archived points can be restored")
    func manifest() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        let shipper = Shipper(of: store.path, to: storage, options: clock.options())
        var models: [ShippedStore.Model] = []
        for number in 0..<4 {
            try store.put("a", "\(number)")
            models.append(store.model)
            try await shipper.round()
        }
        for isDeleted in [false, true] {
            if isDeleted {
                try await storage.delete(["manifest"])
            } else {
                storage.change("manifest") { $0[0] ^= 1 }
            }
            let contents = try await Restorer(storage: storage).contents()
            #expect(contents.points.map(\.number) == [1, 2, 3])
            #expect(contents.manifestFault != nil && contents.histories.map(\.number) == [1])
            let newest = try await store.restored(.newest, from: storage)
            #expect(newest.contents == models[2])
            let first = try await store.restored(.number(1), from: storage)
            #expect(first.contents == models[0])
            let report = try await BackupChecker(storage: storage).check()
            #expect(report.findings.map(\.key) == ["manifest"])
            #expect(report.soundPointCount == 3 && !report.isSound)
        }
    }

    @Test("A backup with a missing part is made whole by putting everything again, once")
    func putAgain() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        let shipper = Shipper(of: store.path, to: storage, options: clock.options())
        for number in 0..<3 {
            try store.put("a", "\(number)")
            try await shipper.round()
        }
        try await shipper.end()
        let lost = try #require(storage.keys("data/").first)
        try await storage.delete([lost])
        let before = try await BackupChecker(storage: storage).check()
        #expect(before.needsRepair && before.canBeRepaired && before.repairedFrom == nil)
        try store.put("b", "1")
        var options = clock.options()
        options.putsAgain = true
        let second = Shipper(of: store.path, to: storage, options: options)
        let round = try #require(try await second.round())
        #expect(round.point.history == 2)
        try store.put("b", "2")
        #expect(try await second.round()?.point.history == 2)
        #expect(try await store.restored(.newest, from: storage).contents == store.model)
        let report = try await BackupChecker(storage: storage).check()
        #expect(report.findings.map(\.key) == [lost] && report.soundPointCount >= 2)
        // What can't be repaired is listed still, and nothing is left to do.
        #expect(!report.needsRepair && !report.isSound)
        #expect(report.repairedFrom == round.point.number)
        #expect(report.lostPointCount == report.pointCount - report.soundPointCount)
        #expect(report.lostPointCount > 0)
        // Damage since then is another matter, also of a part of another point.
        for key in storage.keys("data/") where key != lost {
            let saved = storage.state.withLock { $0.objects[key] }
            try await storage.delete([key])
            let damaged = try await BackupChecker(storage: storage).check()
            let number = try #require(ObjectName.firstPoint(inKey: key))
            #expect(damaged.needsRepair == (number >= round.point.number), "\(key)")
            storage.state.withLock { $0.objects[key] = saved }
        }
    }

    @Test("A history that begins for another reason does not say that damage is known")
    func otherHistory() async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try store.put("a", "1")
        try store.save()
        try store.put("a", "2")
        let first = Shipper(of: store.path, to: storage, options: clock.options())
        try await first.round()
        try await first.end()
        #expect(try store.putBack(withLock: true))
        try store.put("a", "3")
        let second = Shipper(of: store.path, to: storage, options: clock.options())
        #expect(try await second.round()?.point.history == 2)
        let key = storage.keys("data/").first { ObjectName.firstPoint(inKey: $0) == 1 }
        try await storage.delete([try #require(key)])
        let report = try await BackupChecker(storage: storage).check()
        #expect(report.needsRepair && report.repairedFrom == nil)
        #expect(report.findings.map(\.lastPoint) == [1])
    }
}
