import TestSupport
import Testing

@testable import Travertine

@Suite("Entries of postings")
struct PostingFormatTests {
    @Test("positions that no text has are damage: sums of them would not fit")
    func greatPositions() {
        for (first, isSound) in [(1 << 30, true), (1 << 30 + 1, false), (Int(Int32.max), false)] {
            var positions = TokenPositions([7], isSorted: true)
            var key = withUnsafeBytes(of: UInt32(first).bigEndian) { Array($0) }
            let isRead = key.withUnsafeBytes { positions.readApart($0, at: 0, 1, 0) }
            #expect(isRead == isSound)
            // Another one after it.
            key.append(0)
            let areRead = key.withUnsafeBytes { positions.readApart($0, at: 0, 2, 0) }
            #expect(areRead == (first < 1 << 30))
        }
    }

    @Test("a varint and a distance take as many bytes as is said, and are read again")
    func numbers() {
        let numbers: [UInt64] = [0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 32, 1 << 62]
        for number in numbers {
            var bytes: [UInt8] = []
            PostingFormat.append(varint: number, to: &bytes)
            #expect(bytes.count == PostingFormat.byteCount(ofVarint: number))
            bytes.withUnsafeBytes { bytes in
                var offset = 0
                #expect(PostingFormat.varint(in: bytes, at: &offset) == number)
                #expect(offset == bytes.count)
                offset = 0
                let cut = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
                #expect(PostingFormat.varint(in: cut, at: &offset) == nil)
            }
            for count in [1, 2, 129, 130, 1 << 20] as [UInt64] {
                var entry = PostingEntry()
                var key: [UInt8] = []
                PostingFormat.append(distance: number, count, to: &key)
                let byteCount =
                    PostingFormat.byteCount(ofDistance: number)
                    + PostingFormat.byteCount(of: count, positionByteCount: 0)
                #expect(key.count == byteCount)
                let isRead = key.withUnsafeBytes {
                    entry.load($0, at: 0, of: .half(isUpper: false), 1)
                }
                #expect(isRead && entry.objects == [number] && entry.counts == [count])
            }
        }
    }

    @Test("keys of ranges are in the order of the ranges, and before those of later objects")
    func order() {
        let objects: [UInt64] = [
            0, 1, 15, 16, 255, 256, 1 << 20, (1 << 63) - 1, 1 << 63, (1 << 63) + 300, .max - 1,
            .max,
        ]
        let token = Array("word".utf8)
        func key(_ range: PostingRange) -> [UInt8] {
            var key = IndexKey()
            token.withUnsafeBytes { PostingFormat.set(&key, token: $0, range) }
            return key.bytes
        }
        for (position, object) in objects.enumerated() {
            var start = IndexKey()
            token.withUnsafeBytes { PostingFormat.set(&start, token: $0, from: object) }
            for level in 0...PostingRange.levelMax {
                let range = PostingRange(around: object, level: level)
                #expect(range.contains(object))
                #expect(start.bytes.lexicographicallyPrecedes(key(range)))
                let read = key(range).withUnsafeBytes {
                    PostingFormat.range(in: $0, at: token.count + 1)
                }
                #expect(read?.range == range && read?.end == key(range).count)
                for other in objects[(position + 1)...] where !range.contains(other) {
                    var next = IndexKey()
                    token.withUnsafeBytes { PostingFormat.set(&next, token: $0, from: other) }
                    #expect(key(range).lexicographicallyPrecedes(next.bytes))
                }
            }
        }
    }

    @Test("the largest posting fits in its own range, whatever is around it")
    func largest() {
        let count = UInt64(PostingFormat.positionCountMax)
        // The most bytes of a distance, of positions before 2^32, and of a number.
        let byteCount =
            PostingFormat.byteCount(ofDistance: 0)
            + PostingFormat.byteCount(of: count, positionByteCount: 4 * Int(count) + 15)
        #expect(byteCount <= PostingFormat.byteCountMax)
        #expect(TokenScanner.unitByteCountMax + 1 + 10 + PostingFormat.byteCountMax <= 512)
    }

    @Test("a range is read from the one key that it has")
    func otherKeys() {
        let upper: UInt64 = 1 << 63
        func range(_ bytes: [UInt8]) -> PostingRange? {
            bytes.withUnsafeBytes { PostingFormat.range(in: $0, at: 0)?.range }
        }
        #expect(range([17, 5, 0]) == PostingRange(around: upper | 5, level: 0))
        #expect(range([17, 7, 3]) == PostingRange(around: upper, level: 3))
        // With zeros before the number, with a number of the upper half, and another key than the
        // last one.
        #expect(range([18, 0, 5, 0]) == nil)
        #expect(range([8, 128, 0, 0, 0, 0, 0, 0, 5, 0]) == nil)
        #expect(range([17, 5, 3]) == nil)
        #expect(range([16, 0]) == PostingRange(around: upper, level: 0))
        #expect(range([32, 0]) == nil)
        #expect(range([17, 5]) == nil)
        #expect(range([17, 255, 63]) == nil)
    }

    @Test("postings that take more bytes than an entry has are refused")
    func tooLong() {
        // 42 positions of seven bytes, which could be one byte each.
        let positions = (0..<42).flatMap { _ in [128, 128, 128, 128, 128, 128, 0] as [UInt8] }
        let bytes = [64, 40] + positions
        bytes.withUnsafeBytes { bytes in
            var entry = PostingEntry()
            let range = PostingRange(around: 7, level: 0)
            let isLongRead = entry.load(bytes, at: 0, of: range, 1)
            #expect(!isLongRead)
            let cut = UnsafeRawBufferPointer(rebasing: bytes[..<PostingFormat.byteCountMax])
            let isCutRead = entry.load(cut, at: 0, of: range, 1)
            let isWhole = entry.forEachPositions(in: cut) { _, _ in }
            #expect(isCutRead && !isWhole)
        }
    }

    @Test("positions that are no numbers are refused by a search")
    func wrongPositions() {
        // One posting, and a number of more than 64 bits.
        let bytes: [UInt8] = [0] + Array(repeating: 255, count: 11) + [0]
        bytes.withUnsafeBytes { bytes in
            var positions = TokenPositions([7], isSorted: true)
            let isRead = positions.read(bytes, at: 0, of: PostingRange(around: 7, level: 0), 1)
            #expect(!isRead)
        }
    }

    @Test("bytes that are no postings are refused", arguments: [UInt64(1), 2])
    func damage(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(random.chance(5) ? 500 : 30)).map { _ in
                UInt8(truncatingIfNeeded: random.below(random.chance(50) ? 4 : 256))
            }
            let object = UInt64(random.below(1000)) << UInt64(random.below(60))
            bytes.withUnsafeBytes { bytes in
                var entry = PostingEntry()
                let count = UInt64(random.below(6))
                let range = PostingRange(around: object, level: UInt64(random.below(64)))
                if entry.load(bytes, at: 0, of: range, count) {
                    #expect(entry.objects.count == Int(count))
                    #expect(entry.objects.allSatisfy { range.contains($0) })
                    #expect(zip(entry.objects, entry.objects.dropFirst()).allSatisfy { $0 < $1 })
                    _ = entry.forEachPositions(in: bytes) { _, _ in }
                    var list = PostingList()
                    if list.append(&entry, bytes, at: 0, of: range, count) {
                        list.divide(range) { _, _ in }
                    }
                }
                var shape = PostingShape()
                shape.forEachPosting(of: bytes, count) { _, _ in }
                shape.finish()
                var positions = TokenPositions([object], isSorted: true)
                _ = positions.read(bytes, at: 0, of: range, count)
                _ = positions.readApart(bytes, at: 0, count, 0)
                positions.finish()
            }
        }
    }
}
