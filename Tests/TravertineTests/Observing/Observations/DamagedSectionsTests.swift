import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md 2.1: damage that is found while sections are.
@Suite("Observed sections of damaged objects")
struct DamagedSectionsTests {
    private let directory = try! TemporaryDirectory()
    private static let marker = "MARKED"

    /// Changes each byte of the marker in the files of the realm.
    private func flipMarker(_ marker: String, to other: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        var count = 0
        for name in names where name.hasSuffix(".segment") {
            let file = directory.url.appending(path: name)
            let data = try Data(contentsOf: file)
            let handle = try FileHandle(forUpdating: file)
            defer { try? handle.close() }
            var start = data.startIndex
            while let found = data[start...].range(of: Data(marker.utf8)) {
                try handle.seek(toOffset: UInt64(found.lowerBound))
                try handle.write(contentsOf: Data(other.utf8))
                start = found.upperBound
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test("a row that the block for keys can't read is thrown, and not reported as a change")
    func keys() throws {
        var configuration = Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .commit)
        configuration.verification = .always
        let realm = try Realm(configuration: configuration)
        let owner = try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "name": "a"])
            owner.favourite = realm.create(ObservedPet.self, value: ["name": Self.marker])
            return owner
        }
        let sections = realm.objects(ObservedOwner.self).sectioned(
            by: { $0.favourite?.name ?? "nobody" },
            sortDescriptors: [SortDescriptor(keyPath: "id")])
        let reports = Reports()
        let token = sections.observe { reports.note($0) }
        realm.refresh()
        #expect(reports.take() == ["initial"])
        try realm.write { owner.name = "b" }
        try flipMarker(Self.marker, to: "DAMAGE")
        realm.refresh()
        #expect(reports.take() == [])
        #expect(throws: Realm.Error.self) { try realm.write {} }
        try flipMarker("DAMAGE", to: Self.marker)
        realm.refresh()
        #expect(reports.take() == ["-[] +[] ~[[0, 0]] sections -[] +[]"])
        #expect(sections.count == 1 && sections[0].key == Self.marker)
        try realm.write {}
        token.invalidate()
    }
}
