import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Salvage of encrypted stores: each batch is read by itself, and what is not authentic is nothing.
@Suite struct EncryptedSalvageTests {
    private static func segments(_ image: StoreImage) -> [StoreImage.File] {
        image.files.filter { $0.name.hasSuffix(".segment") }
    }

    private static func salvage(
        _ files: [StoreImage.File], scan: [StoreImage.File] = [], secret: UInt64 = 1
    ) throws -> SalvagedStore {
        try SalvagedStore(files, scan: scan, cipher: RecordingCipher(secret: secret))
    }

    @Test("a segment whose header is lost keeps its records", arguments: [UInt8?.none, 0, 0x5a])
    func lostHeaders(fill: UInt8?) throws {
        var seed = UInt64.random(in: 0..<1 << 32)
        var image = try StoreImage.make(seed: seed, cipher: RecordingCipher())
        // Some seeds give a store of one segment.
        while Self.segments(image).count < 2 {
            seed += 1
            image = try StoreImage.make(seed: seed, cipher: RecordingCipher())
        }
        var random = SeededRandom(seed: seed)
        let segments = Self.segments(image)
        for segment in segments {
            var bytes = segment.bytes
            for index in 0..<SegmentHeader.byteCount {
                bytes[index] = fill ?? UInt8.random(in: 0...255, using: &random)
            }
            let files = image.files(replacing: segment.name, with: bytes)
            let found = try Self.salvage(files)
            expectSame(found.contents, image.contents, "\(segment.name), seed \(seed)")
        }
        // Of all of them, too, and without their names.
        let headless = segments.enumerated().map { number, segment in
            StoreImage.File(
                name: "lost \(number)",
                bytes: Array(segment.bytes.dropFirst(SegmentHeader.byteCount)))
        }
        let manifest = StoreImage.File(name: "manifest", bytes: image["manifest"])
        let found = try Self.salvage(headless + [manifest])
        expectSame(found.contents, image.contents, "without headers, seed \(seed)")
    }

    @Test("segments are found in an image, in any order, at any place, among other bytes")
    func rawImage() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let image = try StoreImage.make(seed: seed, cipher: RecordingCipher())
        var bytes = random.bytes(777)
        for file in image.files.reversed() {
            bytes += file.bytes + random.bytes(Int.random(in: 0..<99, using: &random))
        }
        let found = try Self.salvage([], scan: [StoreImage.File(name: "image", bytes: bytes)])
        expectSame(found.contents, image.contents, "seed \(seed)")
        #expect(found.report.isCompleteUpToEnd, "\(found.report), seed \(seed)")
    }

    @Test("bytes that are missing cost the batches that they were part of, and no more")
    func missingBytes() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let image = try StoreImage.make(seed: seed, cipher: RecordingCipher())
        for _ in 0..<10 {
            let segment = try #require(Self.segments(image).randomElement(using: &random))
            let end = try #require(segment.bytes.lastIndex { $0 != 0 })
            let start = Int.random(in: 0..<end, using: &random)
            var bytes = segment.bytes
            bytes.removeSubrange(start..<start + Int.random(in: 1...40, using: &random))
            let found = try Self.salvage(image.files(replacing: segment.name, with: bytes))
            let lost = found.report.gaps.reduce(0) { $0 + $1.lastLSN - $1.firstLSN + 1 }
            #expect(lost <= 2, "\(segment.name) at \(start), seed \(seed): \(found.report)")
        }
    }

    @Test("batches of another key, and batches that are not encrypted, are nothing")
    func foreignBatches() throws {
        let image = try StoreImage.make(seed: 21, cipher: RecordingCipher())
        let other = try StoreImage.make(seed: 22, cipher: RecordingCipher(secret: 2))
        let plain = try StoreImage.make(seed: 23)
        for foreign in [other, plain] {
            let bytes = Self.segments(foreign).flatMap(\.bytes)
            let scan = [StoreImage.File(name: "image", bytes: bytes)]
            let found = try Self.salvage(image.files, scan: scan)
            expectSame(found.contents, image.contents)
            let error = #expect(throws: StoreError.self) { try Self.salvage([], scan: scan) }
            #expect(error?.code == .invalidEncryptionKey, "\(error as Any)")
        }
    }

    /// The header of a batch that nobody sealed, with a checksum that matches.
    private static func forgedHeader(salt: UInt64, offset: UInt32, byteCount: UInt32) -> [UInt8] {
        var header = BatchHeader(
            lsn: LSN(rawValue: 3), salt: salt, offset: offset, byteCount: byteCount,
            transactionFirstLSN: LSN(rawValue: 3), durableLSN: .zero, recordCount: 1, flags: 1,
            activation: 77)
        var bytes = [UInt8](repeating: 0, count: BatchHeader.byteCount)
        bytes.withUnsafeMutableBytes {
            header.encode(into: $0.baseAddress.unsafelyUnwrapped, recordHeadersChecksum: 0)
        }
        return bytes
    }

    @Test("headers of batches that nobody sealed hide nothing, and lead nowhere")
    func forgedHeaders() throws {
        let image = try StoreImage.make(seed: 25, cipher: RecordingCipher())
        let sealed = BatchSeal.sealedByteCount(256 << 10)
        let forged = Self.forgedHeader(salt: 99, offset: 128, byteCount: UInt32(sealed))
        let bytes =
            forged + Self.segments(image).flatMap(\.bytes)
            + [UInt8](repeating: 9, count: 400 << 10)
        let found = try Self.salvage([], scan: [StoreImage.File(name: "image", bytes: bytes)])
        expectSame(found.contents, image.contents)
        // In a segment that was cut off, with its own salt, longer than what is there.
        for segment in Self.segments(image) {
            let salt = segment.bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 48, as: UInt64.self)
            }
            let long = BatchSeal.sealedByteCount(31 << 20)
            let files = image.files(
                replacing: segment.name,
                with: Array(segment.bytes.prefix(128))
                    + Self.forgedHeader(salt: salt, offset: 128, byteCount: UInt32(long)))
            for mode in [ReadMode.mapped, .verified] {
                let machine = SimulatedMachine(
                    files, seed: 6, fileCapacity: 1 << 20, cipher: RecordingCipher())
                var options = machine.options(mode)
                options.createIfMissing = false
                guard let store = try? Store.open(at: SimulatedMachine.path, options: options)
                else { continue }
                for (name, records) in image.contents {
                    guard let keyspace = try store.keyspace(named: name) else { continue }
                    for (key, value) in records {
                        let read = try? store.get(key, in: keyspace)
                        #expect(read == nil || read == value)
                    }
                }
            }
        }
    }

    @Test("a chunk that is not authentic reads as bytes that nobody can have known")
    func unknownBytes() throws {
        let machine = SimulatedMachine(seed: 26, fileCapacity: 1 << 20, cipher: RecordingCipher())
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 256 << 10))
        try store.write { try $0.put([UInt8](repeating: 1, count: 60_000), forKey: "key") }
        try store.close()
        let path = SimulatedMachine.path + "/0000000001.segment"
        var bytes = try #require(machine.disk.contents(of: path))
        let chunk = 192 + BatchSeal.chunkByteCount..<192 + 2 * BatchSeal.chunkByteCount
        for index in chunk { bytes[index] = index % 2 == 0 ? 0 : 255 }
        machine.disk.setContents(of: path, bytes)
        var shown: [[UInt8]] = []
        for salvages in [false, false, true] {
            let fileSystem = machine.environment.fileSystem
            let file =
                try salvages ? fileSystem.openForSalvage(path) : fileSystem.open(path, .readOnly)
            var read = [UInt8](repeating: 0, count: chunk.count)
            #expect(
                try read.withUnsafeMutableBytes {
                    try file.read(into: $0, at: UInt64(chunk.lowerBound))
                } == chunk.count)
            // Each value about as often as the others.
            #expect(Set(read).count == 256)
            shown.append(read)
        }
        #expect(Set(shown).count == 3)
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(!report.isSound)
    }

    @Test("the header of a segment without encryption is damage in an encrypted store")
    func lowerVersion() throws {
        for version in [1, 2] as [UInt8] {
            let report = try Self.verified(seed: 27) { bytes in
                bytes[8] = version
                if version == 1 { for index in 112..<124 { bytes[index] = 0 } }
            }
            #expect(!report.isSound, "version \(version): \(report.findings)")
        }
    }

    @Test("a header that was changed with its checksum is not taken for one")
    func changedHeader() throws {
        // What the header says of the log: nothing else in the segment would contradict it.
        for offset in [SegmentHeader.Offset.lineage, SegmentHeader.Offset.durableLSN] {
            let report = try Self.verified(seed: 24) { $0[offset] ^= 1 }
            #expect(!report.isSound, "offset \(offset): \(report.findings)")
        }
    }

    /// What verification says of a store in which the header of the last segment was changed,
    /// together with its checksum.
    private static func verified(
        seed: UInt64, changingHeader change: (inout [UInt8]) -> Void
    ) throws -> VerificationReport {
        let image = try StoreImage.make(seed: seed, cipher: RecordingCipher())
        let segment = try #require(segments(image).last)
        var bytes = segment.bytes
        change(&bytes)
        bytes.withUnsafeMutableBytes { bytes in
            SegmentHeader.storeChecksum(
                in: UnsafeMutableRawBufferPointer(
                    rebasing: bytes[..<SegmentHeader.byteCount]))
        }
        let machine = SimulatedMachine(
            image.files(replacing: segment.name, with: bytes), seed: 5, fileCapacity: 1 << 20,
            cipher: RecordingCipher())
        return try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
    }
}
