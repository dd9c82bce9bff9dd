import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What salvage makes of some files: the report, and the contents of the new store.
struct SalvagedStore {
    static let target = "/recovered"

    var report: SalvageReport
    var contents: StoreImage.Contents

    /// Salvages a directory with files, other files, or both, and opens the result.
    init(
        _ files: [StoreImage.File], scan: [StoreImage.File] = [],
        preference: StoreSalvage.Preference = .newest, storeUUID: String? = nil,
        cipher: RecordingCipher? = nil
    ) throws {
        let machine = SimulatedMachine(files, seed: 3, fileCapacity: 1 << 20, cipher: cipher)
        for file in scan { machine.disk.setContents(of: "/" + file.name, file.bytes) }
        let before = machine.files
        report = try StoreSalvage.recover(
            directory: files.isEmpty ? nil : SimulatedMachine.path,
            files: scan.map { "/" + $0.name }, to: Self.target, preference: preference,
            storeUUID: storeUUID, options: machine.options(segmentByteCount: 64 << 10))
        #expect(machine.files.map(\.bytes) == before.map(\.bytes), "the source was written to")
        let store = try Store.open(at: Self.target, options: machine.options())
        contents = try StoreImage.contents(of: store)
        try store.close()
    }
}

/// Checks that two stores have the same keyspaces with the same records.
func expectSame(
    _ found: StoreImage.Contents, _ expected: StoreImage.Contents, _ what: Comment = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(found.keys.sorted() == expected.keys.sorted(), what, sourceLocation: sourceLocation)
    for (name, records) in expected {
        let other = found[name] ?? []
        #expect(other.map(\.key) == records.map(\.key), what, sourceLocation: sourceLocation)
        #expect(other.map(\.value) == records.map(\.value), what, sourceLocation: sourceLocation)
    }
}
