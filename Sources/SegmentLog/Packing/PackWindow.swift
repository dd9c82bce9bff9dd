/// Shows the values of one pack in place, to reads that come to its entries one after the other:
/// only the first one of a pack looks at its header and, if asked for, its checksum.
///
/// Unsafe: valid as long as what `SegmentReader` gives of the same segments.
package struct PackWindow: BitwiseCopyable {
    /// The location of the pack's first entry, as a number that no location has if there is none.
    private var first = UInt64.max
    private var part: Pack.PlainPart?

    /// No pack.
    package init() {}

    /// The value at a location of a pack; nil if it is compressed, or no such value is there.
    package mutating func value(
        at location: Location, _ reader: SegmentReader, _ check: RecordCheck
    ) throws(LogError) -> UnsafeRawBufferPointer? {
        let ordinal = location.ordinal
        // The offset of an entry grows with its place in the pack, which is the rest of the number.
        let first =
            location.rawValue &- UInt64(ordinal) &* (1 &<< Location.offsetShift &+ 1)
        // The number of a damaged location may lead beyond its segment.
        if first != self.first || location.recordOffset < 0 {
            self.first = .max
            part = Pack(try reader.compressedRecord(at: location, check))?.plainPart
            self.first = first
        }
        guard let part, ordinal < part.count else { return nil }
        return part.value(ordinal)
    }
}

extension Pack {
    /// What reading values in place needs of a pack that is not compressed.
    struct PlainPart: BitwiseCopyable {
        let ends: UnsafeRawPointer
        let values: UnsafeRawPointer
        let byteCount: Int
        let count: Int

        @inline(__always)
        private func end(_ ordinal: Int) -> Int {
            Int(ends.loadUnaligned(fromByteOffset: endByteCount &* ordinal, as: UInt16.self))
        }

        /// Nil when the pack contradicts itself.
        @inline(__always)
        func value(_ ordinal: Int) -> UnsafeRawBufferPointer? {
            let start = ordinal == 0 ? 0 : end(ordinal &- 1)
            let end = end(ordinal)
            guard start <= end, end <= byteCount else { return nil }
            return UnsafeRawBufferPointer(start: values + start, count: end &- start)
        }
    }
}
