import Foundation
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// Finding changes over damaged files (Documentation/Live.md, section 1).
@Suite("Changes of damaged objects")
struct DamagedChangesTests {
    private let directory = try! TemporaryDirectory()
    private static let marker = "MARKED"

    @Test("whichever byte of a changed row is damaged, changes are found or an error is thrown")
    func everyByte() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url,
                objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
                durability: .commit))
        let owner = try realm.write {
            realm.create(
                ObservedOwner.self,
                value: ["id": 1, "name": "before", "tags": ["t"], "any": AnyRealmValue.int(4)])
        }
        let older = try realm.session.shared.store.snapshot()
        try realm.write {
            owner.name = Self.marker
            owner.numbers.append(objectsIn: [1, 2])
            owner.any = .string("x")
        }
        var errorCount = 0
        for verification in [RecordVerification.none, .always] {
            let newer = try realm.session.shared.store.snapshot(verification: verification)
            let cache = StoredTypesCache(schemaKeyspace: realm.session.shared.schemaKeyspace)
            func changes() throws -> ObjectChanges {
                try ObjectChanges(from: older, to: newer, links: nil, cache: cache)
            }
            #expect(try changes().types.values.map(\.modified.count) == [1])
            for place in try BytePlace.all(of: Self.marker, in: directory.url) {
                let handle = try FileHandle(forUpdating: place.file)
                defer { try? handle.close() }
                for position in (place.offset - 96)..<(place.offset + 48) {
                    try handle.seek(toOffset: UInt64(position))
                    guard let byte = try handle.read(upToCount: 1)?.first else { continue }
                    for damaged in [byte ^ 0x01, byte ^ 0x80, 0xFF] where damaged != byte {
                        try handle.seek(toOffset: UInt64(position))
                        try handle.write(contentsOf: [damaged])
                        do {
                            _ = try changes()
                        } catch {
                            errorCount += 1
                        }
                    }
                    try handle.seek(toOffset: UInt64(position))
                    try handle.write(contentsOf: [byte])
                }
            }
            #expect(try changes().types.values.map(\.modified.count) == [1])
        }
        #expect(errorCount > 0)
    }
}
