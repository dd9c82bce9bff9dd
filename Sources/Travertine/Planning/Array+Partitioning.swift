/// Binary search, with that of ranges (`SegmentLog`).
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
