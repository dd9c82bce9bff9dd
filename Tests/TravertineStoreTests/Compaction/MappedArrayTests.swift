import Testing

@testable import TravertineStore

@Suite struct MappedArrayTests {
    @Test("an array keeps its elements while it grows, and forgets those that are taken away")
    func growth() throws {
        let array = MappedArray<UInt64>()
        #expect(array.isEmpty)
        var expected: [UInt64] = []
        for value in 0..<5000 as Range<UInt64> {
            try array.append(value &* 0x9e37_79b9_7f4a_7c15)
            expected.append(value &* 0x9e37_79b9_7f4a_7c15)
        }
        #expect(array.elementsEqual(expected))
        array.removeAll(from: 1025)
        #expect(array.elementsEqual(expected[..<1025]))
        array.removeAll(from: 2000)
        #expect(array.count == 1025)
        try array.append(7)
        #expect(array.last == 7)
        try array.grow(to: 100_000)
        #expect(array.elementsEqual(expected[..<1025] + [7]))
    }

    @Test("more memory than there are addresses is an error, and changes nothing")
    func noMemory() throws {
        let array = MappedArray<UInt64>()
        try array.append(1)
        #expect(throws: (any Error).self) { try array.grow(to: 1 << 56) }
        #expect(Array(array) == [1])
    }
}
