import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// Documentation/Live.md, section 2, V4: `.refreshRequired` without autorefresh.
@Suite("Blocks that are notified that the realm can be refreshed")
struct RefreshRequiredTests {
    let directory = try! TemporaryDirectory()
    let queue = DispatchQueue(label: "observing")
    let reports = SharedReports()
    let held = Held()

    private var configuration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .commit)
    }

    private func open() throws {
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            realm.autorefresh = false
            held.realm = realm
        }
    }

    private func write() throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { _ = realm.create(ObservedPet.self, value: ["name": "a"]) }
    }

    @Test(
        "refresh() in such a block notifies the others at once, and the block when it has returned")
    func refreshing() throws {
        try open()
        queue.sync {
            let pets = held.realm!.objects(ObservedPet.self)
            held.tokens = [
                held.realm!.observe { notification, realm in
                    reports.note("begin \(notification)")
                    if notification == .refreshRequired { #expect(realm.refresh()) }
                    reports.note("end \(notification) \(pets.count)")
                },
                pets.observe { reports.note($0) },
                held.realm!.observe { notification, _ in reports.note("other \(notification)") },
            ]
            held.realm!.refresh()
        }
        #expect(reports.wait { $0 == ["initial"] })
        try write()
        let expected = [
            "initial", "begin refreshRequired", "-[] +[0] ~[]", "other didChange",
            "end refreshRequired 1", "begin didChange", "end didChange 1",
        ]
        #expect(reports.wait { $0 == expected }, "\(reports.all)")
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
        #expect(reports.all == expected)
    }

    @Test("a block that refreshes whenever it is called is never called inside itself")
    func refreshingAlways() throws {
        try open()
        let depth = Depth()
        queue.sync {
            held.tokens = (0..<2).map { number in
                held.realm!.observe { notification, realm in
                    depth.enter(number)
                    defer { depth.leave(number) }
                    realm.refresh()
                    if notification == .refreshRequired { realm.refresh() }
                    reports.note("\(number) \(notification)")
                }
            }
            held.realm!.refresh()
        }
        queue.sync {}
        for round in 1...3 {
            try write()
            let expected = round * 3
            #expect(reports.wait { $0.count == expected }, "\(reports.all)")
            queue.sync {}
        }
        #expect(reports.all.filter { $0 == "0 refreshRequired" }.count == 3, "\(reports.all)")
        #expect(!reports.all.contains("1 refreshRequired"), "the other block has refreshed")
        #expect(!depth.isExceeded)
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }

    /// How often blocks are running at once, on one queue.
    private final class Depth: @unchecked Sendable {
        private var counts = [0, 0]
        private(set) var isExceeded = false

        func enter(_ number: Int) {
            counts[number] += 1
            if counts[number] > 1 { isExceeded = true }
        }

        func leave(_ number: Int) { counts[number] -= 1 }
    }

    @Test("an asynchronous commit of the realm itself is reported as a change, not as one to fetch")
    func ownCommit() throws {
        try open()
        queue.sync {
            held.tokens = [
                held.realm!.observe { notification, _ in reports.note("\(notification)") }
            ]
            let realm = held.realm!
            for _ in 0..<3 {
                realm.writeAsync({ _ = realm.create(ObservedPet.self) }) { error in
                    reports.note("done \(error == nil)")
                }
            }
        }
        #expect(reports.wait { all in all.filter { $0 == "done true" }.count == 3 })
        queue.sync {}
        #expect(!reports.all.contains("refreshRequired"), "\(reports.all)")
        #expect(reports.all.contains("didChange"))
        try write()
        #expect(reports.wait { $0.last == "refreshRequired" })
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }

    @Test("a change is reported once, whatever maintenance follows before it is shown")
    func maintenance() throws {
        try open()
        queue.sync {
            held.tokens = [
                held.realm!.observe { notification, _ in reports.note("\(notification)") }
            ]
            held.realm!.refresh()
        }
        try write()
        #expect(reports.wait { $0 == ["refreshRequired"] }, "\(reports.all)")
        let session = queue.sync { held.realm!.session }
        for _ in 0..<3 {
            try session.shared.store.compact()
            // As after a commit that published what compaction wrote, too.
            session.observations.schedule()
            queue.sync {}
        }
        #expect(reports.all == ["refreshRequired"])
        try write()
        #expect(reports.wait { $0.count > 1 })
        #expect(reports.all == ["refreshRequired", "refreshRequired"])
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }
}
