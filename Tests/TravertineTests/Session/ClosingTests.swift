import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// The last handle of a realm may go anywhere, also in the store's own work.
@Suite("Closing with the last handle")
struct ClosingTests {
    private final class Box: @unchecked Sendable {
        var realm: Realm?
    }

    @Test("the store is closed where its own work dropped the last handle, and opens again")
    func ownWork() throws {
        let directory = try TemporaryDirectory()
        let box = Box()
        box.realm = try directory.open([ObservedPet.self, ObservedOwner.self, ObservedAddress.self])
        let realm = try #require(box.realm)
        try realm.write { _ = realm.create(ObservedPet.self) }
        let options = realm.store.options.environment
        let dropped = DispatchSemaphore(value: 0)
        func drop(_ realm: consuming Realm) {
            box.realm = realm
            options.executor.submit {
                box.realm = nil
                dropped.signal()
            }
        }
        drop(realm)
        #expect(dropped.wait(timeout: .now() + .seconds(60)) == .success)
        let again = try directory.open([
            ObservedPet.self, ObservedOwner.self, ObservedAddress.self,
        ])
        #expect(again.objects(ObservedPet.self).count == 1)
        // The last error may be of another test, whose directory went before its realm.
        let error = SharedStore.lastCloseError.withLock { $0.map { "\($0)" } } ?? ""
        #expect(!error.contains(directory.path("")), "\(error)")
    }
}
