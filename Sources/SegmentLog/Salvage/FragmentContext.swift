/// Where the bytes of a segment lie in a source: the segment's salt, and the source's position of
/// the segment's offset 0 (negative if the source begins inside the segment).
package struct FragmentContext: Hashable, Sendable {
    package var salt: UInt64
    package var origin: Int

    package init(salt: UInt64, origin: Int) {
        self.salt = salt
        self.origin = origin
    }

    /// Whether bytes of the segment can lie in a range of the source.
    func mayReach(_ range: Range<Int>) -> Bool {
        origin < range.upperBound
            && range.lowerBound < origin + SegmentHeader.segmentByteCountMax
    }
}
