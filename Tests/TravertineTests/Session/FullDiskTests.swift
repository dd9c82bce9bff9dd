import Foundation
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import Travertine
@testable import TravertineStore

/// On a disk that only the realm has filled, objects to which none links can be deleted, whatever
/// was refused and done in the background before (rule 8), as long as they are small beside a
/// segment.
@Suite("Realms on a full disk")
struct FullDiskTests {
    /// A realm on a simulated disk, with room for 32 segments.
    private struct Scene {
        let machine: SimulatedMachine
        let realm: Realm
        private let segmentByteCount: Int
        var random: SeededRandom

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            segmentByteCount =
                [256 << 10, 512 << 10].randomElement(using: &random) ?? 256 << 10
            machine = SimulatedMachine(seed: seed, fileCapacity: 8 << 20)
            let configuration = Realm.Configuration(
                fileURL: URL(filePath: "/full-\(seed)", directoryHint: .isDirectory),
                objectTypes: [StoredParcel.self, NumberedParcel.self])
            realm = try SharedStore.$simulatedOptions.withValue(
                machine.options(segmentByteCount: segmentByteCount)
            ) { try Realm(configuration: configuration) }
            try realm.write {
                realm.create(StoredParcel.self, value: ["text": "t"])
                realm.create(NumberedParcel.self, value: ["id": -1, "text": "t"])
            }
            machine.executor.drain()
            machine.disk.setQuota(byteCount: machine.disk.usedByteCount + 32 * segmentByteCount)
        }

        mutating func workInBackground() {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: machine.executor.drain()
            case 1: _ = machine.executor.runNext()
            default: break
            }
        }

        func isRefused(_ change: () -> Void) throws -> Bool {
            do {
                try realm.write(change)
                return false
            } catch let error as Realm.Error where error.code == .outOfDiskSpace {
                return true
            }
        }

        /// Adds objects of several sizes until the disk has refused a few.
        mutating func fill() throws {
            var (refusedCount, number) = (0, 0)
            while refusedCount < 3 {
                let sizes = [400, 4000, segmentByteCount / 16]
                let count = sizes.randomElement(using: &random) ?? 400
                let text = String(repeating: "x", count: count)
                number += 1
                let isNumbered = Bool.random(using: &random)
                let isFull = try isRefused {
                    if isNumbered {
                        realm.create(NumberedParcel.self, value: ["id": number, "text": text])
                    } else {
                        realm.create(StoredParcel.self, value: ["text": text])
                    }
                }
                if isFull { refusedCount += 1 }
                workInBackground()
            }
        }
    }

    @Test(
        "deleting is never refused, one by one, in batches, and all at the end", arguments: 1...16)
    func deleting(seed: UInt64) throws {
        var scene = try Scene(seed: seed)
        try scene.fill()
        for _ in 0..<40 {
            let count = Int.random(in: 1...4, using: &scene.random)
            let isNumbered = Bool.random(using: &scene.random)
            let realm = scene.realm
            let isFull = try scene.isRefused {
                if isNumbered {
                    realm.delete(realm.objects(NumberedParcel.self).prefix(count))
                } else {
                    realm.delete(realm.objects(StoredParcel.self).suffix(count))
                }
            }
            #expect(!isFull, "seed \(seed)")
            scene.workInBackground()
        }
        let realm = scene.realm
        let isFull = try scene.isRefused { realm.deleteAll() }
        #expect(!isFull, "seed \(seed), deleteAll")
        #expect(realm.isEmpty)
        scene.machine.executor.removeAll()
    }
}

class StoredParcel: Object {
    @Persisted var text = ""
    @Persisted(indexed: true) var weight = 0
}

class NumberedParcel: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var text = ""
}
