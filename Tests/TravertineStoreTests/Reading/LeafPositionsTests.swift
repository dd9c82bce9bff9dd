import TestSupport
import Testing

@testable import TravertineStore

@Suite("A set of positions in a leaf")
struct LeafPositionsTests {
    @Test(
        "has the positions that were set, in order", arguments: [0, 1, 63, 64, 65, 128, 208, 256])
    func ranges(end: Int) {
        let positions = LeafPositions(before: end)
        #expect(positions.count == end && positions.isEmpty == (end == 0))
        #expect((0..<256).allSatisfy { positions.contains($0) == ($0 < end) })
        #expect((0..<end).allSatisfy { positions.position(after: $0) == $0 })
    }

    @Test("finds any of them by how many are before it", arguments: 0..<20 as Range<UInt64>)
    func ranks(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let share = random.pick([1, 10, 50, 95])
        let set = (0..<256).filter { _ in random.chance(share) }
        var words = SIMD4<UInt64>.zero
        for position in set { words[position / 64] |= 1 << UInt64(position % 64) }
        var positions = LeafPositions(words: words)
        #expect(positions.count == set.count)
        #expect(set.indices.allSatisfy { positions.position(after: $0) == set[$0] })
        var drained: [Int] = []
        while !positions.isEmpty {
            let end = drained.count + 1 + random.below(40)
            positions.drain {
                if drained.count == end { return false }
                drained.append($0)
                return true
            }
        }
        #expect(drained == set, "seed \(seed)")
    }
}
