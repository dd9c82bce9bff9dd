import SegmentLog

/// Gives entries of packs their values back while they are copied.
///
/// A pass keeps of packs what their segments hold, and the keys: values that compress well would
/// take a multiple of the memory. LiveRecords are copied in the order of their keys, as packs have
/// them, so that a few packs at a time are all that is needed. One thread.
final class LiveRecordValues {
    private let images: [SegmentNumber: SegmentImage]
    /// The packs that were asked for last, the newest at the end.
    private var packs: [(first: Location, entries: PackExpansion)] = []
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    /// Bytes of the last chunk that are taken.
    private var takenByteCount = 0

    /// Segments of one pass may each have a pack of the same keys.
    static let packMax = 32
    private static let chunkByteCount = 64 << 10

    init(_ images: [SegmentNumber: SegmentImage] = [:]) { self.images = images }

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// Gives up what `whole` returned.
    func begin() {
        for chunk in chunks { chunk.deallocate() }
        chunks.removeAll(keepingCapacity: true)
        takenByteCount = 0
    }

    /// The liveRecord with its value, which lives until `begin`; others as they are.
    ///
    /// Throws `.damaged` when the image has no such entry.
    func whole(_ liveRecord: LiveRecords.LiveRecord) throws -> LiveRecords.LiveRecord {
        guard liveRecord.location.isCompressed, !liveRecord.record.isCompressed else {
            return liveRecord
        }
        let entries = try pack(at: liveRecord.location.entry(0))
        guard liveRecord.location.ordinal < entries.count else {
            throw missing(liveRecord.location)
        }
        let entry = entries[liveRecord.location.ordinal]
        let source = UnsafeRawBufferPointer(start: entry.base, count: entry.storedByteCount)
        let target = memory(byteCount: source.count)
        target.copyMemory(from: source)
        guard let base = target.baseAddress else { throw missing(liveRecord.location) }
        var whole = liveRecord
        whole.record = RecordPointer(unsafeBase: UnsafeRawPointer(base), offset: 0)
        return whole
    }

    private func pack(at first: Location) throws -> PackExpansion {
        if let last = packs.last, last.first == first { return last.entries }
        if let place = packs.lastIndex(where: { $0.first == first }) {
            let known = packs.remove(at: place)
            packs.append(known)
            return known.entries
        }
        let entries = packs.count < Self.packMax ? PackExpansion() : packs.removeFirst().entries
        guard let image = images[first.segment], try image.expand(packAt: first, into: entries)
        else { throw missing(first) }
        packs.append((first, entries))
        return entries
    }

    private func memory(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        if takenByteCount + byteCount > chunks.last?.count ?? 0 {
            chunks.append(
                .allocate(byteCount: max(byteCount, Self.chunkByteCount), alignment: 8))
            takenByteCount = 0
        }
        let start = takenByteCount
        takenByteCount += byteCount
        return UnsafeMutableRawBufferPointer(
            rebasing: chunks[chunks.count - 1][start..<start + byteCount])
    }

    private func missing(_ location: Location) -> StoreError {
        StoreError(.damaged, "The pack at \(location) reads differently than before.")
    }
}
