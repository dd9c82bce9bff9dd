import CPlatform

@testable import SegmentLog
@testable import TravertineStore

/// Puts right checksums over whatever an input has, so that the fuzzer gets beyond them.
///
/// Only numbers that lie where a checksum belongs are changed, and only inside the input; and in
/// batches the identifiers of keyspaces (`lowerKeyspaces`).
struct Sealing {
    var bytes: [UInt8]
    /// Whether a batch that was sealed has a move.
    private(set) var hasMoves = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func load<Integer: FixedWidthInteger & BitwiseCopyable>(
        _ offset: Int, _ type: Integer.Type = Integer.self
    ) -> Integer {
        guard offset >= 0, offset + MemoryLayout<Integer>.size <= bytes.count else { return 0 }
        return bytes.withUnsafeBytes {
            Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
        }
    }

    mutating func store<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
        guard offset >= 0, offset + MemoryLayout<Integer>.size <= bytes.count else { return }
        withUnsafeBytes(of: value.littleEndian) { source in
            for (place, byte) in source.enumerated() { bytes[offset + place] = byte }
        }
    }

    func sum(_ range: Range<Int>, from start: UInt32 = 0) -> UInt32 {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return start }
        return bytes[range].withUnsafeBytes { travertine_crc32c(start, $0.baseAddress, $0.count) }
    }

    /// The sum of everything before the last four bytes, in these.
    mutating func sealEnd() {
        if bytes.count >= 4 { store(sum(0..<bytes.count - 4), at: bytes.count - 4) }
    }

    /// A segment: its header, and every batch that follows the one before.
    mutating func sealSegment() {
        store(sum(0..<124), at: 124)
        let salt: UInt64 = load(48)
        var offset = SegmentHeader.byteCount
        while offset + BatchHeader.byteCount <= bytes.count,
            load(offset, UInt32.self) == BatchHeader.magic
        {
            let byteCount = Int(load(offset + 28, UInt32.self))
            let end = min(offset + byteCount, bytes.count)
            sealBatch(offset..<max(end, offset + BatchHeader.byteCount), salt: salt)
            if byteCount < BatchHeader.byteCount { return }
            offset += byteCount
        }
    }

    /// The records of a batch, and its header.
    mutating func sealBatch(_ batch: Range<Int>, salt: UInt64) {
        var headers: UInt32 = 0
        var offset = batch.lowerBound + BatchHeader.byteCount
        for _ in 0..<min(load(batch.lowerBound + 48, UInt32.self), 4096) {
            guard offset + RecordLayout.headerByteCount <= batch.upperBound else { break }
            let isMove = [3, 4].contains(load(offset + 8, UInt8.self))
            if isMove { hasMoves = true }
            lowerKeyspaces(at: offset, isMove: isMove)
            let length =
                RecordLayout.headerByteCount + (isMove ? RecordLayout.extensionByteCount : 0)
                + Int(load(offset + 10, UInt16.self)) + Int(load(offset + 16, UInt32.self))
            let end = min(offset + length, batch.upperBound)
            var seed = [UInt8]()
            withUnsafeBytes(of: salt.littleEndian) { seed.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt64(offset).littleEndian) { seed.append(contentsOf: $0) }
            let start = Sealing(seed).sum(0..<16)
            store(sum(offset + 4..<end, from: start), at: offset)
            headers = sum(offset..<offset + RecordLayout.headerByteCount, from: headers)
            offset += (length + 7) & ~7
        }
        let first = sum(batch.lowerBound + 8..<batch.lowerBound + BatchHeader.byteCount)
        let count = min(load(batch.lowerBound + 48, UInt32.self), 4096)
        let whole = travertine_crc32c_combine(
            first, headers, UInt64(count) * UInt64(RecordLayout.headerByteCount))
        store(whole, at: batch.lowerBound + 4)
    }

    /// Makes the identifiers of keyspaces small, in a record and in the key of a definition.
    ///
    /// A store takes memory for every identifier below the highest, and salvage writes a definition
    /// for each: a record of keyspace 2²⁴ − 1 would take gigabytes and minutes to say what one of
    /// keyspace 1000 says; the edge is `SalvagedKeyspaceTests`'. Those above, which no store can
    /// have, stay.
    private mutating func lowerKeyspaces(at offset: Int, isMove: Bool) {
        let mask: UInt32 = 0xff00_03ff
        let keyspace = load(offset + 12, UInt32.self) & mask
        store(keyspace, at: offset + 12)
        guard keyspace == 0, load(offset + 10, UInt16.self) == 4 else { return }
        let key =
            offset + RecordLayout.headerByteCount + (isMove ? RecordLayout.extensionByteCount : 0)
        store(load(key, UInt32.self) & mask.byteSwapped, at: key)
    }

    /// A page file: every page, the descriptor, the header.
    mutating func sealPageFile() {
        let pageCount = Int(load(44, UInt32.self))
        let seed: UInt64 = load(48)
        for page in 0..<min(pageCount, max(bytes.count - 4096, 0) / 2048) {
            let start = 4096 + page * 2048
            var prefix = [UInt8]()
            withUnsafeBytes(of: seed.littleEndian) { prefix.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt64(page).littleEndian) { prefix.append(contentsOf: $0) }
            store(sum(start..<start + 2044, from: Sealing(prefix).sum(0..<16)), at: start + 2044)
        }
        let offset = Int(clamping: load(64, UInt64.self))
        let length = Int(clamping: load(72, UInt64.self))
        if offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset {
            store(sum(offset..<offset + length), at: 80)
        }
        store(sum(0..<4092), at: 4092)
    }
}
