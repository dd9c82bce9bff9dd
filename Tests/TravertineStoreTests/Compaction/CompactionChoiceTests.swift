import SegmentLog
import Testing

@testable import TravertineStore

/// Which segments compaction takes, from numbers alone.
@Suite struct CompactionChoiceTests {
    private func candidate(
        _ number: UInt32, allocated: Int = 1000, live: Int, age: Int = 10
    ) -> CompactionChoice.Candidate {
        CompactionChoice.Candidate(
            number: SegmentNumber(rawValue: number), allocatedByteCount: allocated,
            liveByteCount: live, age: age)
    }

    private func choice(
        bound: Double = 1.5, floor: Int = 0, _ candidates: [CompactionChoice.Candidate]
    ) -> CompactionChoice {
        CompactionChoice(
            spaceBound: bound, floorByteCount: floor,
            liveByteCount: candidates.reduce(0) { $0 + $1.liveByteCount }, candidates: candidates)
    }

    private func numbers(_ choice: CompactionChoice, memory: Int = 1 << 30) -> [UInt32] {
        choice.choose(memoryByteCount: memory).map(\.rawValue)
    }

    @Test("nothing is chosen within the bound, or within the floor beyond it")
    func withinBound() {
        #expect(numbers(choice([candidate(1, live: 700), candidate(2, live: 700)])) == [])
        #expect(numbers(choice(floor: 2000, [candidate(1, live: 0), candidate(2, live: 0)])) == [])
    }

    @Test("the emptiest segments go first, until the excess is gone")
    func emptiestFirst() {
        let segments = [
            candidate(1, live: 900), candidate(2, live: 100), candidate(3, live: 500),
            candidate(4, live: 0),
        ]
        // 4000 allocated, 2250 allowed: 1750 to free, of which 4 and 2 free 1900.
        #expect(numbers(choice(segments)) == [2, 4])
    }

    @Test("of two equally full segments the older one goes first")
    func olderFirst() {
        let segments = [
            candidate(1, live: 500, age: 5), candidate(2, live: 500, age: 9),
            candidate(3, live: 400, age: 1),
        ]
        let all = choice(segments)
        #expect(all.excess == 900)
        #expect(numbers(choice(bound: 2.0, segments)) == [2])
    }

    @Test("mostly dead segments go ahead of what the next checkpoint brings, fuller ones stay")
    func ahead() {
        var within = choice([
            candidate(1, live: 900), candidate(2, live: 500), candidate(3, live: 650),
        ])
        #expect(within.excess == 0 && numbers(within) == [])
        within.incomingByteCount = 800
        #expect(within.excess == 0 && within.excessAhead == 725)
        #expect(numbers(within) == [2])
        var beyond = choice(bound: 1.2, [candidate(1, live: 900), candidate(3, live: 650)])
        beyond.incomingByteCount = 1000
        // 140 bytes must go now, of whatever segment; the rest is not worth a copy yet.
        #expect(beyond.excess == 140 && numbers(beyond) == [3])
    }

    @Test("age counts up to a bound, so that an old full segment is not copied for ever")
    func ageIsCapped() {
        let segments = [
            candidate(1, live: 950, age: 1_000_000), candidate(2, live: 300, age: 40),
        ]
        #expect(numbers(choice(bound: 1.2, segments)) == [2])
    }

    @Test("a segment that frees next to nothing is left alone")
    func fullSegments() {
        let segments = [candidate(1, live: 990), candidate(2, live: 1000)]
        #expect(numbers(choice(bound: 1.0, segments)) == [])
    }

    @Test("a pass takes no more than it may hold in memory, and at least one segment")
    func memoryLimit() {
        let segments = (1...10).map { candidate(UInt32($0), live: 0) }
        #expect(numbers(choice(segments), memory: 3000).count == 3)
        #expect(numbers(choice(segments), memory: 10).count == 1)
    }

    @Test("without room for copies only segments without live records are chosen")
    func onlyDead() {
        let segments = [candidate(1, live: 8), candidate(2, live: 0), candidate(3, live: 100)]
        let chosen = choice(segments).choose(memoryByteCount: 1 << 30, onlyDead: true)
        #expect(chosen.map(\.rawValue) == [2])
    }
}
