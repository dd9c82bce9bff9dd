import Dispatch
import Foundation
import Observation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What is reported after a write transaction that could not begin.
@Suite("Observing beside a transaction that could not begin")
struct FailedBeginningObservingTests {
    private let directory = TemporaryDirectory()

    private func configuration(tracksReads: Bool = false) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .unsynced)
        configuration.tracksReads = tracksReads
        return configuration
    }

    @Test(
        "what others commit in the meantime is reported when it is cancelled",
        arguments: [false, true])
    func cancelled(tracksReads: Bool) throws {
        let configuration = configuration(tracksReads: tracksReads)
        let queue = DispatchQueue(label: "observing")
        let (reports, held) = (SharedReports(), Held())
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            held.realm = realm
            let pets = realm.objects(ObservedPet.self)
            if tracksReads {
                withObservationTracking {
                    #expect(pets.isEmpty)
                } onChange: {
                    reports.note("changed")
                }
            } else {
                held.tokens = [pets.observe { reports.note($0) }]
            }
        }
        let before = tracksReads ? [] : ["initial"]
        #expect(reports.wait { $0 == before })
        queue.sync {
            held.realm?.session.damage = Realm.Error(.fail, "damaged")
            held.realm?.beginWrite()
            #expect(held.realm?.isInWriteTransaction == true)
        }
        let other = try Realm(configuration: self.configuration())
        try other.write { _ = other.create(ObservedPet.self, value: ["name": "a"]) }
        // What the commit sent to the queue has run by then.
        queue.sync { #expect(reports.all == before) }
        queue.sync { held.realm?.cancelWrite() }
        let report = tracksReads ? "changed" : "-[] +[0] ~[]"
        #expect(reports.wait { $0 == before + [report] }, "\(reports.all)")
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }
}
