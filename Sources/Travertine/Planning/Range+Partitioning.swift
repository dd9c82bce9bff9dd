/// Binary search.
extension Range<Int> {
    /// The first number of the range for which a condition holds that holds for all after it as
    /// well; the end of the range if it holds for none. Asks for logarithmically many numbers.
    @inline(__always)
    func partitioningIndex(where isInSecondPart: (Int) throws -> Bool) rethrows -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if try isInSecondPart(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array {
    /// The position of the first element for which a condition holds that holds for the rest as
    /// well; the count if it holds for none.
    func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Int {
        try indices.partitioningIndex { try isInSecondPart(self[$0]) }
    }
}

extension [UInt64] {
    /// Whether a number is among these, which ascend.
    func contains(sorted number: UInt64) -> Bool {
        let place = partitioningIndex { $0 >= number }
        return place < count && self[place] == number
    }
}
