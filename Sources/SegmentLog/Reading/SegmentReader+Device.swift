import CPlatform

/// Reading from the device, where files are more than memory holds (`MappedFiles`).
extension SegmentReader {
    /// How far is read ahead of records that lie one after the other.
    private static var readAheadByteCount: Int { 128 << 10 }

    /// Asks for the pages of records that are looked at soon: those of several records are read at
    /// the same time, where one miss after the other would wait for each. Of records that lie close
    /// together, as compaction leaves those of neighbouring keys, also for what follows.
    @usableFromInline @inline(never)
    func askDevice(locations: UnsafeRawPointer, stride: Int, count: Int) {
        guard count > 0 else { return }
        func location(_ index: Int) -> Location {
            Location(rawValue: (locations + index &* stride).loadUnaligned(as: UInt64.self))
        }
        let first = location(0)
        let last = location(count - 1)
        let distance = last.offset - first.offset
        if first.segment == last.segment, distance >= 0, distance < Self.readAheadByteCount / 2 {
            // Only where they go over a boundary: what comes after it was not asked for yet.
            let half = Self.readAheadByteCount / 2
            let isFurther =
                first.offset / half != (last.offset + RecordLayout.headerByteCount) / half
            ask(first, byteCount: distance + (isFurther ? Self.readAheadByteCount : 4096))
            return
        }
        for index in 0..<count { ask(location(index), byteCount: 512) }
    }

    /// Asks for one record's pages.
    package func askDevice(_ location: Location) { ask(location, byteCount: 512) }

    private func ask(_ location: Location, byteCount: Int) {
        guard let segment = mapped(location.upperHalf) else { return }
        let room = segment.byteCount - location.offset
        guard room > 0 else { return }
        MappedFiles.willNeed(segment.base + location.offset, byteCount: min(byteCount, room))
    }
}
