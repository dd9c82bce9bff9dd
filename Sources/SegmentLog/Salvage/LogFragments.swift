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

/// Valid batches of one segment that follow each other without a gap, and without a gap of LSNs.
package struct LogRun: Sendable, Hashable {
    package var source: Int
    /// Where the first batch begins in the source.
    package var position: Int
    package var byteCount: Int
    package var context: FragmentContext
    package var firstLSN: LSN
    package var lastLSN: LSN
    package var batchCount = 1
    package var recordCount: Int

    /// The offset of the first batch in its segment.
    package var offset: Int { position - context.origin }
}

/// A record whose own checksum matches, in a batch that does not.
package struct StrayRecord: Sendable, Hashable {
    package var source: Int
    package var position: Int
    package var byteCount: Int
    package var context: FragmentContext
    /// The offset, in the segment, of the batch that it names as its own.
    package var batchOffset: Int
    /// The LSN in the header of that batch, if something like a header stands there.
    package var lsnHint: LSN?

    /// The record's offset in its segment.
    package var offset: Int { position - context.origin }
}

/// What is left of a record whose checksum does not match: its key, which may be wrong itself.
package struct DamagedRecord: Sendable, Hashable {
    package var source: Int
    package var position: Int
    package var byteCount: Int
    package var context: FragmentContext
    package var keyspace: UInt32
    package var key: [UInt8]

    /// The record's offset in its segment.
    package var offset: Int { position - context.origin }
}

/// Bytes of a source that nothing could be made of.
package struct SkippedBytes: Sendable, Hashable {
    package var source: Int
    package var position: Int
    package var byteCount: Int
}

/// Everything that a scan found in one source.
package struct LogFragments: Sendable {
    package var headers: [(position: Int, header: SegmentHeader)] = []
    package var runs: [LogRun] = []
    package var strays: [StrayRecord] = []
    package var damaged: [DamagedRecord] = []
    package var skipped: [SkippedBytes] = []
    /// Stretches without a batch whose segment nothing in the source told.
    package var unplaced: [Range<Int>] = []
    /// The highest LSN that headers of a segment and its batches call durable, by salt.
    package var durableLSNs: [UInt64: LSN] = [:]
    /// Where manifests and page files seem to begin, at most `placeCountMax` of each.
    package var manifestPlaces: [Int] = []
    package var pageFilePlaces: [Int] = []
    /// Stretches in which the search for single records was cut short.
    package var exhaustedStretches = 0
    package var unreadableByteCount = 0

    private static let placeCountMax = 65_536

    package init() {}

    /// Takes what a header calls durable.
    mutating func noteDurable(_ lsn: LSN, salt: UInt64) {
        durableLSNs[salt] = max(durableLSNs[salt] ?? .zero, lsn)
    }

    /// Takes the place of a magic that is none of the log's.
    mutating func noteMagic(_ magic: UnsafeRawBufferPointer, at position: Int) {
        if magic.elementsEqual("TRVMANIF".utf8), manifestPlaces.count < Self.placeCountMax {
            manifestPlaces.append(position)
        }
        if magic.elementsEqual("TRVPAGES".utf8), pageFilePlaces.count < Self.placeCountMax {
            pageFilePlaces.append(position)
        }
    }
}
