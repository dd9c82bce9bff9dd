import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// The hashes of a segment's keys, and the file that keeps them.
@Suite struct KeyHashTests {
    private let fixture = CompactionFixture(seed: 41)

    /// A store with one sealed segment of values, some deleted in later ones.
    private func prepared() throws -> (Store, SegmentSummary) {
        let store = try fixture.open()
        var model = CompactionModel()
        for number in 0..<20 { try model.put(number, 0, store) }
        for number in 0..<5 { try model.delete(number, store) }
        _ = try store.compactionFigures(sealing: true)
        return (store, try #require(store.log.segments.first))
    }

    private func file(_ store: Store, _ segment: SegmentSummary) -> KeyHashFile {
        KeyHashFile(
            of: segment, identity: store.log.identity, directory: store.path,
            fileSystem: fixture.machine.fileSystem)
    }

    @Test("every key with a value is found, and hardly another one")
    func contents() throws {
        let (store, segment) = try prepared()
        let hashes = try #require(store.keyHashes(of: segment))
        func contains(_ number: Int) -> Bool {
            CompactionModel.key(number).withUnsafeBytes {
                hashes.contains(KeyHashes.hash(of: $0, in: .default))
            }
        }
        #expect((0..<20).allSatisfy(contains))
        #expect((20..<10_000).filter(contains).count < 3)
        #expect(hashes.hashes == hashes.hashes.sorted())
    }

    @Test("the file gives back what was written, and is made anew when any of its bytes is wrong")
    func damage() throws {
        let (store, segment) = try prepared()
        let file = file(store, segment)
        #expect(file.read() == nil)
        let hashes = try #require(store.keyHashes(of: segment))
        #expect(file.read() == hashes)
        let good = try #require(fixture.machine.disk.contents(of: file.path))
        for offset in good.indices {
            fixture.machine.disk.corrupt(file.path, at: offset, mask: 1)
            #expect(file.read() == nil, "offset \(offset)")
            fixture.machine.disk.corrupt(file.path, at: offset, mask: 1)
        }
        for length in 0..<good.count {
            fixture.machine.disk.setContents(of: file.path, Array(good.prefix(length)))
            #expect(file.read() == nil, "length \(length)")
        }
        #expect(store.keyHashes(of: segment) == hashes)
        #expect(file.read() == hashes)
    }

    @Test("the file of another segment under the right name is not believed")
    func otherSegment() throws {
        let (store, segment) = try prepared()
        _ = store.keyHashes(of: segment)
        var other = segment
        other.salt &+= 1
        #expect(file(store, other).read() == nil)
        other = segment
        other.endOffset += 8
        #expect(file(store, other).read() == nil)
    }

    @Test("the files go with their segments, also when a crash came between")
    func removal() throws {
        let (store, segment) = try prepared()
        _ = store.keyHashes(of: segment)
        fixture.machine.disk.setContents(of: SimulatedMachine.path + "/0000009999.keys", [1, 2, 3])
        #expect(fixture.machine.disk.paths.filter { $0.hasSuffix(".keys") }.count == 2)
        try store.compact()
        #expect(!fixture.machine.disk.paths.contains { $0.hasSuffix(".keys") })
    }
}
