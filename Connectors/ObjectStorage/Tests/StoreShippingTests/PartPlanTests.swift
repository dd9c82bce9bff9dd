import ShippingFixtures
import Testing

@testable import StoreShipping

@Suite("Parts of a growing file")
struct PartPlanTests {
    private let cell = UInt64(PartPlan.partByteCountMax)

    private func part(_ end: UInt64) -> ShippedPart {
        ShippedPart(point: 1, end: end, sha256: ContentHash(of: []))
    }

    @Test("A new file is cut into cells")
    func newFile() {
        let plan = PartPlan(parts: [], byteCount: 2 * cell + 5, isGrowing: true)
        #expect(plan.keptCount == 0)
        #expect(plan.ranges == [0..<cell, cell..<2 * cell, 2 * cell..<2 * cell + 5])
    }

    @Test("What has not grown needs nothing")
    func unchanged() {
        let parts = [part(100), part(150)]
        let plan = PartPlan(parts: parts, byteCount: 150, isGrowing: true)
        #expect(plan == PartPlan(parts: parts, byteCount: 150, isGrowing: true))
        #expect(plan.keptCount == 2)
        #expect(plan.ranges.isEmpty)
        #expect(PartPlan(parts: [], byteCount: 0, isGrowing: true).ranges.isEmpty)
    }

    @Test("The last cell of a file that grows no longer becomes one part")
    func sealed() {
        let parts = [part(cell), part(cell + 10), part(cell + 30)]
        let plan = PartPlan(parts: parts, byteCount: cell + 30, isGrowing: false)
        #expect(plan.keptCount == 1)
        #expect(plan.ranges == [cell..<cell + 30])
        let whole = PartPlan(
            parts: [part(cell), part(cell + 30)], byteCount: cell + 30, isGrowing: false)
        #expect(whole.keptCount == 2)
        #expect(whole.ranges.isEmpty)
    }

    @Test(
        "A file that grows in small steps has few parts, and is put about five times",
        arguments: [1, 2, 3])
    func growth(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var parts: [ShippedPart] = []
        var byteCount: UInt64 = 0
        var putByteCount: UInt64 = 0
        var partCountMax = 0
        while byteCount < 3 * cell {
            byteCount += UInt64(random.below(4000) + 1)
            let plan = PartPlan(parts: parts, byteCount: byteCount, isGrowing: true)
            parts = Array(parts[..<plan.keptCount])
            for range in plan.ranges {
                #expect(range.lowerBound == parts.last?.end ?? 0)
                #expect(range.lowerBound / cell == (range.upperBound - 1) / cell)
                parts.append(part(range.upperBound))
                putByteCount += UInt64(range.count)
            }
            #expect(parts.last?.end == byteCount)
            partCountMax = max(partCountMax, parts.count)
        }
        #expect(partCountMax <= 64)
        #expect(Double(putByteCount) / Double(byteCount) < 5)
        let factor = Double(putByteCount) / Double(byteCount)
        print("seed \(seed): at most \(partCountMax) parts, put \(factor) times")
    }
}
