import TestSupport
import Testing

@testable import Travertine

@Suite("What was read, as a tracker knows it")
struct TrackedReadsTests {
    private static func place(_ type: UInt32, _ key: UInt64, _ property: UInt32)
        -> ReadTracker.Place
    {
        ReadTracker.Place(type: type, key: key, property: property)
    }

    @Test("properties and types are known exactly")
    func properties() {
        var reads = TrackedReads()
        #expect(!reads.has(1) && !reads.hasWhole(1) && reads.properties(ofType: 1) == nil)
        reads.insert(Self.place(1, 7, 3))
        reads.insert(Self.place(1, 8, 100))
        reads.insert(Self.place(2, 8, 1))
        reads.insert(.all(ofType: 4))
        #expect(reads.properties(ofType: 1)?.all == [3, 100])
        #expect(reads.properties(ofType: 2)?.all == [1])
        #expect(reads.properties(ofType: 4) == nil)
        #expect([1, 2, 3, 4].map { reads.has($0) } == [true, true, false, true])
        #expect([1, 2, 3, 4].map { reads.hasWhole($0) } == [false, false, false, true])
    }

    /// The most objects, of some that were not read, that may be taken for read: of 200,000 objects
    /// there are three layers, of each of which an eighth is set at most. Five standard deviations
    /// more, and two.
    private func most(of asked: Int, _ count: Int) -> Double {
        let share = count <= 8192 ? Double(count) / 65_536 : 1 - 0.875 * 0.875 * 0.875
        let mean = Double(asked) * share
        return mean + 5 * (mean * (1 - share)).squareRoot() + 2
    }

    @Test(
        "every object that was read is known, and few others are",
        arguments: [10, 1000, 200_000])
    func objects(count: Int) {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededRandom(seed: seed)
        var keys: [UInt64] = []
        for number in 0..<count {
            keys.append(number.isMultiple(of: 2) ? UInt64(number) : random.next())
        }
        var reads = TrackedReads()
        for key in keys { reads.insert(Self.place(5, key, 1)) }
        #expect(keys.allSatisfy { reads.mayHave($0, ofType: 5) })
        let unread = (0..<UInt64(10_000)).map { $0 << 32 | 1 << 62 }
        let others = unread.count { reads.mayHave($0, ofType: 5) }
        #expect(Double(others) <= most(of: 10_000, count), "seed \(seed)")
        let asked = min(count, 10_000)
        let ofAnotherType = keys.prefix(asked).count { reads.mayHave($0, ofType: 6) }
        #expect(Double(ofAnotherType) <= most(of: asked, count), "seed \(seed)")
    }

    @Test("a key path stands for one place, also after others took its room")
    func keyPaths() {
        var reads = TrackedReads()
        var places: [ReadTracker.Place] = []
        for key in 0..<UInt64(1000) {
            for type in 0..<UInt32(3) { places.append(Self.place(type, key, type % 2)) }
        }
        let keyPaths = places.map { reads.keyPath(of: $0) }
        #expect(Set(keyPaths).count == places.count)
        for (place, keyPath) in zip(places, keyPaths) {
            #expect(reads.keyPath(of: place) == keyPath)
        }
        #expect(reads.keyPath(of: places[7]) === reads.keyPath(of: places[7]))
    }
}
