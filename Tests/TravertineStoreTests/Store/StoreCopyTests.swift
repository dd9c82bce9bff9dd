import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

@Suite("Copies of stores")
struct StoreCopyTests {
    private static func comparable(_ contents: StoreImage.Contents) -> [String: [[[UInt8]]]] {
        contents.mapValues { $0.map { [$0.key, $0.value] } }
    }

    @Test("an adopted copy survives a power cut, as a separate store", arguments: 1...8)
    func adopted(seed: UInt64) throws {
        let image = try StoreImage.make(seed: seed)
        let machine = SimulatedMachine(seed: seed)
        let path = SimulatedMachine.path
        try machine.fileSystem.createDirectory(path)
        try machine.fileSystem.syncDirectory("/")
        for copied in image.files {
            let file = try machine.fileSystem.open(path + "/" + copied.name, .createNew)
            try copied.bytes.withUnsafeBytes { try file.write($0, at: 0) }
            file.close()
        }
        let original = try #require(
            try ManifestFile.read(in: path, fileSystem: machine.fileSystem))
        try StoreCopy.adopt(at: path, environment: machine.environment)
        machine.crashAndRestart()
        let store = try Store.open(at: path, options: machine.options())
        let contents = try StoreImage.contents(of: store)
        #expect(Self.comparable(contents) == Self.comparable(image.contents))
        try store.write { try $0.put([1], forKey: "more") }
        try store.close()
        let manifest = try #require(
            try ManifestFile.read(in: path, fileSystem: machine.fileSystem))
        #expect(manifest.identity.uuidLow == original.identity.uuidLow)
        #expect(manifest.identity.lineage != original.identity.lineage)
    }
}
