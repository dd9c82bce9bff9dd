import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Blocks of a disk that changed places: records that lie far from the batch that they belong to.
@Suite struct ScatteredRecordTests {
    private static let blockByteCount = 512

    // Only segments near a stretch were tried, by where whole batches beside it said that they
    // begin.
    @Test(
        "two blocks of segments that changed places cost only the records that they cut",
        arguments: 1...8 as ClosedRange<UInt64>)
    func swapped(seed: UInt64) throws {
        let history = try History.make(seed: seed)
        let segments = history.image.files.filter { $0.name.hasSuffix(".segment") }
        var random = SeededRandom(seed: seed)
        for _ in 0..<6 {
            let one = try #require(segments.randomElement(using: &random))
            let two = try #require(segments.randomElement(using: &random))
            let from = block(of: one, history, &random)
            let to = block(of: two, history, &random)
            if one.name == two.name, from == to { continue }
            var files = history.image.files
            let swap = { (name: String, place: Range<Int>, bytes: ArraySlice<UInt8>) in
                guard let index = files.firstIndex(where: { $0.name == name }) else { return }
                files[index].bytes.replaceSubrange(place, with: bytes)
            }
            swap(one.name, from, two.bytes[to])
            swap(two.name, to, one.bytes[from])
            let found = try SalvagedStore(files)
            let kept = history.expectation { name, range in
                !(name == one.name && cuts(from, range) || name == two.name && cuts(to, range))
            }
            expectSame(
                found.contents, kept,
                "\(one.name) \(from) and \(two.name) \(to), seed \(seed)")
            #expect(!found.report.isComplete)
        }
    }

    @Test("an image whose blocks are in any order gives all records that are not cut")
    func shuffled() throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            let history = try History.make(seed: seed)
            var random = SeededRandom(seed: seed)
            var blocks: [ArraySlice<UInt8>] = []
            for file in history.image.files where file.name.hasSuffix(".segment") {
                for start in stride(from: 0, to: history.endOfContent(file), by: 512) {
                    blocks.append(file.bytes[start..<min(start + 512, file.bytes.count)])
                }
            }
            blocks.shuffle(using: &random)
            // Between two blocks stands something, so that none lie beside each other by chance.
            let bytes = blocks.flatMap { $0 + [UInt8](repeating: 0x55, count: 64) }
            let found = try SalvagedStore(
                [], scan: [StoreImage.File(name: "image", bytes: bytes)])
            let known = knownBatches(history)
            let kept = history.expectation { name, range in
                range.lowerBound / 512 == (range.upperBound - 1) / 512
                    && known.contains(batch(of: name, range, history))
            }
            expectSame(found.contents, kept, "seed \(seed)")
        }
    }

    private func block(
        of file: StoreImage.File, _ history: History, _ random: inout SeededRandom
    ) -> Range<Int> {
        let count = max(1, history.endOfContent(file) / Self.blockByteCount)
        let start = Int.random(in: 0..<count, using: &random) * Self.blockByteCount
        return start..<start + Self.blockByteCount
    }

    /// Whether a record lies on both sides of an edge of a block.
    private func cuts(_ block: Range<Int>, _ record: Range<Int>) -> Bool {
        record.overlaps(block)
            && !(block.contains(record.lowerBound) && record.upperBound <= block.upperBound)
    }

    /// The number of the batch that a record is in.
    private func batch(of name: String, _ range: Range<Int>, _ history: History) -> Int {
        history.batches.lastIndex { $0.file == name && $0.offset < range.lowerBound } ?? -1
    }

    /// The batches whose place is known from a header that lies in one block: their own, the one
    /// before, or that of the segment.
    private func knownBatches(_ history: History) -> Set<Int> {
        func isWhole(_ index: Int) -> Bool { history.batches[index].offset % 512 <= 512 - 64 }
        return Set(
            history.batches.indices.filter { index in
                let isFirst =
                    index == 0
                    || history.batches[index - 1].file != history.batches[index].file
                return isFirst || isWhole(index) || isWhole(index - 1)
            })
    }
}
