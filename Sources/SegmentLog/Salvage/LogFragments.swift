/// Everything that a scan found in one source.
package struct LogFragments: Sendable {
    package var headers: [(position: Int, header: SegmentHeader)] = []
    package var runs: [LogRun] = []
    package var strays: [StrayRecord] = []
    package var damaged: [DamagedRecord] = []
    package var skipped: [SkippedBytes] = []
    /// Stretches without a batch whose segment nothing in the source names.
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
