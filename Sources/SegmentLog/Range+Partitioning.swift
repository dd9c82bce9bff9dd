/// Binary search.
extension Range<Int> {
    /// The first number of the range for which a condition holds that holds for all after it as
    /// well; the end of the range if it holds for none. Asks for logarithmically many numbers.
    @inlinable @inline(__always)
    package func partitioningIndex(where isInSecondPart: (Int) throws -> Bool) rethrows -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if try isInSecondPart(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
