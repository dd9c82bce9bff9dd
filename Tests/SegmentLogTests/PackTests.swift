import Testing

@testable import SegmentLog

/// Packs: several values in one record, compressed together or not, from bytes that may hold anything.
@Suite struct PackTests {
    /// The record of a pack with these entries, and the memory that it is in.
    private func record(_ content: [UInt8]) -> (RecordPointer, UnsafeMutableRawBufferPointer) {
        let byteCount = (RecordLayout.headerByteCount + content.count + 7) & ~7
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes[RecordLayout.kind] = RecordKind.pack.rawValue
        bytes.storeBytes(of: 9, toByteOffset: RecordLayout.keyspace, as: UInt32.self)
        bytes.storeBytes(
            of: UInt32(content.count), toByteOffset: RecordLayout.valueByteCount, as: UInt32.self)
        UnsafeMutableRawBufferPointer(rebasing: bytes[RecordLayout.headerByteCount...])
            .copyBytes(from: content)
        return (
            RecordPointer(unsafeBase: UnsafeRawPointer(bytes.baseAddress!), offset: 256), bytes
        )
    }

    private func move(_ key: [UInt8], _ value: [UInt8]) -> (
        RecordPointer, UnsafeMutableRawBufferPointer
    ) {
        let byteCount = RecordLayout.paddedByteCount(
            key: key.count, value: value.count, isMove: false)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes[RecordLayout.kind] = RecordKind.put.rawValue
        bytes.storeBytes(
            of: UInt16(key.count), toByteOffset: RecordLayout.keyByteCount, as: UInt16.self)
        bytes.storeBytes(
            of: UInt32(value.count), toByteOffset: RecordLayout.valueByteCount, as: UInt32.self)
        UnsafeMutableRawBufferPointer(rebasing: bytes[20...]).copyBytes(from: key + value)
        return (RecordPointer(unsafeBase: UnsafeRawPointer(bytes.baseAddress!), offset: 0), bytes)
    }

    private func content(
        _ entries: [(key: [UInt8], value: [UInt8])], isPlain: Bool = false
    ) -> [UInt8]? {
        let builder = PackBuilder()
        builder.begin(isPlain: isPlain)
        for (number, entry) in entries.enumerated() {
            let (record, bytes) = move(entry.key, entry.value)
            defer { bytes.deallocate() }
            builder.add(
                record, originalLSN: LSN(rawValue: UInt64(1000 + number * number)),
                sourceLocation: Location(rawValue: .max / UInt64(number + 1)))
        }
        return builder.finish()
    }

    private static func entries(_ count: Int) -> [(key: [UInt8], value: [UInt8])] {
        (0..<count).map { number in
            (
                Array("key/\(number % 3)/\(number)".utf8),
                Array("the value of number \(number), which is like the others".utf8)
            )
        }
    }

    @Test(
        "the entries of a pack come back with keys, values, LSNs and sources",
        arguments: [
            1, 2, 17, 38,
        ], [false, true])
    func roundTrip(count: Int, isPlain: Bool) throws {
        let entries = Self.entries(count) + [(key: [], value: [])]
        if count == 1, !isPlain {
            #expect(content(entries) == nil)
            return
        }
        let (record, bytes) = record(try #require(content(entries, isPlain: isPlain)))
        defer { bytes.deallocate() }
        let expansion = PackExpansion()
        #expect(expansion.fill(from: record))
        #expect(expansion.count == entries.count)
        let pack = try #require(Pack(record))
        var shares = 0
        for (ordinal, entry) in entries.enumerated() {
            let found = expansion[ordinal]
            #expect([UInt8](found.key) == entry.key)
            #expect([UInt8](found.value) == entry.value)
            #expect(found.keyspace == KeyspaceID(rawValue: 9))
            #expect(found.originalLSN?.rawValue == UInt64(1000 + ordinal * ordinal))
            #expect(found.sourceLocation?.rawValue == .max / UInt64(ordinal + 1))
            let range = try #require(pack.range(of: ordinal))
            var target = [UInt8](repeating: 0, count: range.upperBound)
            let isWhole = target.withUnsafeMutableBytes {
                pack.decompress(through: range.upperBound, into: $0)
            }
            #expect(isWhole)
            #expect(Array(target[range]) == entry.value)
            #expect(pack.value(ordinal).map { [UInt8]($0) } == (isPlain ? entry.value : nil))
            shares += Pack.share(
                ofByteCount: record.storedByteCount, ordinal: ordinal, count: pack.count)
        }
        #expect(shares == record.storedByteCount)
        let keys = PackExpansion(keysOf: expansion)
        #expect(expansion.fill(from: record))
        #expect(keys.count == entries.count)
        for ordinal in entries.indices {
            let found = keys[ordinal]
            #expect([UInt8](found.key) == entries[ordinal].key)
            #expect(found.value.isEmpty)
            #expect(found.originalLSN == expansion[ordinal].originalLSN)
            #expect(found.sourceLocation == expansion[ordinal].sourceLocation)
        }
        #expect(record.storedByteCount >= 8 * entries.count)
    }

    @Test("one value alone is no pack: it gains nothing")
    func lonelyValue() {
        #expect(content(Self.entries(1), isPlain: true) == nil)
        #expect(content([], isPlain: true) == nil)
    }

    @Test("a pack of many empty values has a place for each of them")
    func tinyEntries() throws {
        let entries = (0..<500).map { (key: [UInt8(0)], value: [UInt8($0 == 0 ? 1 : 0)]) }
        let (record, bytes) = record(try #require(content(entries)))
        defer { bytes.deallocate() }
        #expect(record.storedByteCount >= 8 * 500)
        #expect(PackExpansion().fill(from: record))
    }

    @Test("bytes that are no pack give nothing, and touch nothing else", arguments: [false, true])
    func anyBytes(isPlain: Bool) throws {
        let good = try #require(content(Self.entries(20), isPlain: isPlain))
        let expansion = PackExpansion()
        var goodCount = 0
        func look(_ content: [UInt8]) {
            let (record, bytes) = record(content)
            defer { bytes.deallocate() }
            if expansion.fill(from: record) { goodCount += 1 }
            guard let pack = Pack(record) else { return }
            for ordinal in 0..<pack.count {
                if let value = pack.value(ordinal), let start = value.baseAddress {
                    let end = record.value.baseAddress! + record.value.count
                    #expect(start >= record.base && start + value.count <= end)
                }
                guard let range = pack.range(of: ordinal) else { continue }
                var target = [UInt8](repeating: 0, count: range.upperBound)
                target.withUnsafeMutableBytes {
                    _ = pack.decompress(through: range.upperBound, into: $0)
                }
            }
        }
        for place in good.indices {
            for bit in 0..<8 {
                var changed = good
                changed[place] ^= 1 << bit
                look(changed)
            }
        }
        for count in 0..<good.count { look(Array(good[..<count])) }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            look((0..<200).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        // A changed letter of a value is for the checksum to find.
        #expect(goodCount > 0)
    }

    @Test("a location that leads to before its segment is damage, and nothing is read there")
    func locationBeforeSegment() throws {
        let (log, _, _) = try LogFixture().openLog()
        let written = try log.write([put(1)])
        let segment = written.records[0].location.segment
        for isMapped in [false, true] {
            if isMapped { _ = try log.reader.verifiedRecord(at: written.records[0].location) }
            for (place, ordinal) in [(0, 1), (0, 511), (40, 41), (300, 511)] {
                let location = Location(
                    rawValue: 1 << 63 | UInt64(segment.rawValue) << 32 | UInt64(place) << 9
                        | UInt64(ordinal))
                #expect(location.recordOffset < 0)
                #expect(throws: LogError.self) { try log.reader.record(at: location) }
                #expect(throws: LogError.self) { try log.reader.verifiedRecord(at: location) }
                #expect(throws: LogError.self) {
                    _ = try log.reader.decompressValue(
                        at: location, .never, into: DecompressionBuffer.current)
                }
            }
        }
        try log.close(punchingTail: false)
    }

    @Test("locations of entries are separate places, and lead back to their pack")
    func locations() {
        let segment = SegmentNumber(rawValue: 77)
        var seen: Set<Int> = []
        for ordinal in 0..<Pack.countMax {
            let location = Location(
                compressedIn: segment, recordOffset: 4096, ordinal: ordinal)
            #expect(location.isCompressed)
            #expect(location.segment == segment)
            #expect(location.ordinal == ordinal)
            #expect(location.recordOffset == 4096)
            #expect(location.sizeHint == nil)
            #expect(location.entry(3).ordinal == 3)
            #expect(seen.insert(location.offset).inserted)
        }
        let plain = Location(segment: segment, offset: 4096, byteCount: 80)
        #expect(!plain.isCompressed)
        #expect(plain.recordOffset == 4096)
    }
}
