@testable import SegmentLog
@testable import StoreMaintenance
@testable import TravertineStore

/// Inputs that are parts of a log.
enum LogInput {
    static let identity = StoreIdentity(uuidLow: 1, uuidHigh: 2, lineage: 3)
    private static let segmentByteCount = 4096

    /// The first byte: bit 0 seals, bit 1 leaves the manifest's durable LSN at 1, bit 2 takes the
    /// manifest away. Then segments, each of which says its number itself.
    static func runSegments(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var files = way & 4 == 0 ? ["manifest": manifest(durable: way & 2 == 0 ? 0 : 1)] : [:]
        var hasMoves = false
        var start = 1
        while start < input.count {
            let end = min(start + segmentByteCount, input.count)
            var segment = Sealing(Array(input[start..<end]))
            if way & 1 == 1 { takeOver(&segment) }
            hasMoves = hasMoves || segment.hasMoves
            let number = max(segment.load(40, UInt32.self) % 1000, 1)
            files[SegmentNumber(rawValue: number).fileName] = segment.bytes
            start = end
        }
        for (name, _) in files where name.hasSuffix(".segment") { inspect(name, files) }
        try StoreUse.run(files, comparesSalvage: way & 1 == 1 && !hasMoves)
    }

    /// Makes a segment one of this store, with right checksums.
    private static func takeOver(_ segment: inout Sealing) {
        segment.store(SegmentHeader.magic, at: 0)
        segment.store(SegmentHeader.formatVersion, at: 8)
        segment.store(identity.uuidLow, at: 16)
        segment.store(identity.uuidHigh, at: 24)
        segment.store(identity.lineage, at: 32)
        segment.sealSegment()
    }

    static func inspect(_ name: String, _ files: [String: [UInt8]]) {
        let environment = InputMachine(files).environment
        let count = files[name]?.count ?? 0
        var selections: [FileInspection.Selection] = [.overview(limit: 5), .lsn(1)]
        for offset in stride(from: 0, to: count, by: max(count / 7, 1)) {
            selections.append(.offset(offset))
        }
        for selection in selections {
            _ = try? FileInspector.inspect(
                path: InputMachine.path + "/" + name, selection, environment: environment)
        }
    }

    static func manifest(
        durable: UInt64 = 0, checkpoint: Manifest.CheckpointEntry = .empty
    ) -> [UInt8] {
        Manifest(
            identity: identity, isClean: false, sequence: 1, durableLSN: LSN(rawValue: durable),
            cleanEnd: nil, nextPageFile: 9, checkpoints: [checkpoint]
        ).encoded
    }

    static func segmentSeeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for (rounds, keyCount) in [(1, 2), (2, 5), (4, 8)] {
            let files = try StoreUse.sample(rounds: rounds, keyCount: keyCount)
            let segments = files.filter { $0.key.hasSuffix(".segment") }.sorted { $0.key < $1.key }
            let bytes = segments.flatMap { padded($0.value) }
            for way in [UInt8(1), 0, 5] { seeds.append([way] + bytes) }
        }
        return seeds
    }

    /// The bytes of a segment without the zeros at its end, as long as a segment here is.
    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let head = Array(bytes.prefix(segmentByteCount))
        return head + [UInt8](repeating: 0, count: segmentByteCount - head.count)
    }

    // MARK: Batches

    /// Each batch: flags u8 · byte count of its records u16 · records, whose checksums and
    /// distances are made here.
    static func runBatches(_ input: [UInt8]) throws {
        let salt: UInt64 = 77
        var segment = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
        let header = SegmentHeader(
            identity: identity, number: SegmentNumber(rawValue: 1), salt: salt,
            firstLSN: LSN(rawValue: 1), predecessor: .none, segmentByteCount: 1 << 20,
            durableLSN: .zero)
        segment.withUnsafeMutableBytes { header.encode(into: $0) }
        var position = 0
        var lsn: UInt64 = 1
        var first: UInt64 = 1
        while position + 3 <= input.count, segment.count < 60_000 {
            let flags = UInt32(input[position]) & 3
            let length = Int(input[position + 1]) | Int(input[position + 2]) << 8
            let end = min(position + 3 + length, input.count)
            append(
                Array(input[position + 3..<end]), flags, lsn: lsn, first: first, salt, to: &segment)
            if flags & BatchHeader.lastFlag != 0 { first = lsn + 1 }
            lsn += 1
            position = end
        }
        segment += [UInt8](repeating: 0, count: 512)
        var sealing = Sealing(segment)
        sealing.sealSegment()
        try StoreUse.run(
            [
                "manifest": manifest(), SegmentNumber(rawValue: 1).fileName: sealing.bytes,
            ], comparesSalvage: !sealing.hasMoves)
    }

    private static func append(
        _ records: [UInt8], _ flags: UInt32, lsn: UInt64, first: UInt64, _ salt: UInt64,
        to segment: inout [UInt8]
    ) {
        let start = segment.count
        var bytes = records
        while bytes.count % 8 != 0 { bytes.append(0) }
        var sealing = Sealing(bytes)
        var count: UInt32 = 0
        var offset = 0
        while offset + RecordLayout.headerByteCount <= bytes.count {
            sealing.store(UInt32(BatchHeader.byteCount + offset), at: offset + 4)
            let isMove = [3, 4].contains(sealing.load(offset + 8, UInt8.self))
            offset += RecordLayout.paddedByteCount(
                key: Int(sealing.load(offset + 10, UInt16.self)),
                value: Int(sealing.load(offset + 16, UInt32.self)), isMove: isMove)
            count += 1
        }
        var header = BatchHeader(
            lsn: LSN(rawValue: lsn), salt: salt, offset: UInt32(start),
            byteCount: UInt32(BatchHeader.byteCount + bytes.count),
            transactionFirstLSN: LSN(rawValue: first), durableLSN: .zero, recordCount: count,
            flags: flags)
        var head = [UInt8](repeating: 0, count: BatchHeader.byteCount)
        head.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress {
                header.encode(into: base, recordHeadersChecksum: 0)
            }
        }
        segment += head + sealing.bytes
    }

    static func batchSeeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for (rounds, keyCount) in [(1, 2), (3, 4), (4, 8)] {
            let files = try StoreUse.sample(rounds: rounds, keyCount: keyCount)
            for (_, bytes) in files.filter({ $0.key.hasSuffix(".segment") }) {
                seeds.append(batches(of: Sealing(bytes)))
            }
        }
        return seeds
    }

    private static func batches(of segment: Sealing) -> [UInt8] {
        var seed: [UInt8] = []
        var offset = SegmentHeader.byteCount
        while segment.load(offset, UInt32.self) == BatchHeader.magic {
            let byteCount = Int(segment.load(offset + 28, UInt32.self))
            let records = segment.bytes[offset + BatchHeader.byteCount..<offset + byteCount]
            seed += [
                segment.load(offset + 52), UInt8(records.count & 255), UInt8(records.count >> 8),
            ]
            seed += records
            offset += byteCount
        }
        return seed
    }
}
