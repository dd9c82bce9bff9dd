/// Puts texts in the order of their bytes; equal ones stay in the order that they have.
///
/// Where few are different, as names and words are, each is numbered, only the different ones are
/// sorted, and the others are distributed by the places of these (`TextNumbers`). Else the first
/// eight bytes of all are sorted, and then those that begin alike by what follows (`TextSort`).
struct TextOrder {
    /// A text, and the position that stands for it.
    ///
    /// Unsafe: the bytes must stay where they are as long as the text is used.
    struct Text {
        let bytes: UnsafeRawBufferPointer
        let position: Int

        init(_ bytes: UnsafeRawBufferPointer, position: Int) {
            self.bytes = bytes
            self.position = position
        }
    }

    private let texts: [Text]
    private let ascending: Bool
    /// Up to one in so many texts may be different for them to be numbered.
    private static let textsPerNumber = 8
    /// Fewer are not numbered.
    private static let numberedCountMin = 256

    init(_ texts: [Text], ascending: Bool) {
        self.texts = texts
        self.ascending = ascending
    }

    /// The positions in order.
    ///
    /// - Parameter findsRuns: whether the ranges are wanted that have two equal texts or more.
    func sorted(findsRuns: Bool) -> (positions: [Int], runs: [Range<Int>]) {
        if texts.count >= Self.numberedCountMin, texts.count <= Int32.max,
            let numbers = TextNumbers(texts, countMax: texts.count / Self.textsPerNumber)
        {
            return distributed(numbers, findsRuns)
        }
        let bytes = texts.map(\.bytes)
        let order = bytes.withUnsafeBufferPointer { self.order(of: $0) }
        var runs: [Range<Int>] = []
        if findsRuns {
            runs = Self.runs(order.count) { bytes[order[$0]].isSame(as: bytes[order[$1]]) }
        }
        return (order.map { texts[$0].position }, runs)
    }

    /// The numbers of texts in order.
    private func order(of texts: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> [Int] {
        var sorted = texts.enumerated().map { number, text in
            let prefix = RowSorter.prefix(of: text)
            return PrefixSort.Item(prefix: ascending ? prefix : ~prefix, position: number)
        }
        PrefixSort.sort(&sorted)
        let sort = TextSort(texts, ascending: ascending)
        sorted.withUnsafeMutableBufferPointer { sorted in
            for run in Self.runs(sorted.count, { sorted[$0].prefix == sorted[$1].prefix }) {
                sort.sort(UnsafeMutableBufferPointer(rebasing: sorted[run]))
            }
        }
        return sorted.map(\.position)
    }

    /// The ranges of two or more neighbours that are equal.
    static func runs(_ count: Int, _ isEqual: (Int, Int) -> Bool) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for next in stride(from: 1, through: count, by: 1) {
            if next < count, isEqual(start, next) { continue }
            if next - start > 1 { runs.append(start..<next) }
            start = next
        }
        return runs
    }

    private func distributed(
        _ numbers: TextNumbers, _ findsRuns: Bool
    ) -> (positions: [Int], runs: [Range<Int>]) {
        let order = numbers.texts.withUnsafeBufferPointer { self.order(of: $0) }
        var starts = [Int](repeating: 0, count: order.count)
        var runs: [Range<Int>] = []
        var end = 0
        for number in order {
            starts[number] = end
            let count = numbers.counts[number]
            if findsRuns, count > 1 { runs.append(end..<end + count) }
            end += count
        }
        let positions = [Int](unsafeUninitializedCapacity: texts.count) { target, count in
            count = texts.count
            guard let target = target.baseAddress else { return }
            starts.withUnsafeMutableBufferPointer { starts in
                for (text, number) in zip(texts, numbers.numbers) {
                    let place = starts[Int(number)]
                    starts[Int(number)] = place &+ 1
                    (target + place).initialize(to: text.position)
                }
            }
        }
        return (positions, runs)
    }
}
