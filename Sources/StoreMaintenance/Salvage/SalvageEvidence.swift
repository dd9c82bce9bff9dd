import SegmentLog
import TravertineStore

/// What the files of a store say beside its log: manifests and page files, wherever they lie.
///
/// A page file is written after the log up to its LSN was synced, and a manifest after that; so
/// both say what was durable once, also when they are not the newest; so does the lock that lies
/// beside its manifest (`LockEvidence`). Only a manifest says that a log ends
/// where it ends: without one, whole segments may be missing after the last that was found.
struct SalvageEvidence {
    /// The manifest in its own place, in the directory; nil if it can't be read.
    var named: Manifest?
    /// What the lock beside that manifest calls durable.
    var lockLSN = LSN.zero
    /// Whole manifests, in the order in which they were found.
    private var manifests: [Manifest] = []
    private var pageFiles: [PageFile] = []

    /// A page file whose header is whole.
    struct PageFile {
        var header: PageFileHeader
        /// Whether it has its own name in the directory, so that it can be opened.
        var isInPlace: Bool
    }

    init() {}

    /// Reads what a scan found.
    mutating func collect(from sources: [SalvageSource]) {
        for source in sources {
            let window = source.window
            for place in source.fragments.manifestPlaces {
                guard let base = window.bytes(at: place, count: Manifest.byteCount) else {
                    continue
                }
                let bytes = UnsafeRawBufferPointer(start: base, count: Manifest.byteCount)
                let decoded = capture { () throws(StoreError) in
                    try Manifest(decoding: bytes, file: window.path)
                }
                if case .success(let manifest) = decoded { manifests.append(manifest) }
            }
            for place in source.fragments.pageFilePlaces {
                guard let header = Self.pageFileHeader(in: window, at: place) else { continue }
                let name = StoreFiles.pageFile(header.number)
                pageFiles.append(
                    PageFile(
                        header: header,
                        isInPlace: place == 0 && source.isInDirectory
                            && source.path.hasSuffix("/" + name)))
            }
        }
    }

    private static func pageFileHeader(
        in window: SourceWindow, at position: Int
    ) -> PageFileHeader? {
        guard let base = window.bytes(at: position, count: PageFileHeader.byteCount) else {
            return nil
        }
        let block = UnsafeRawBufferPointer(start: base, count: PageFileHeader.byteCount)
        // Which store and which file it is, is what it says itself.
        var reader = ByteReader(block)
        reader.move(to: PageFileHeader.Offset.uuid)
        guard let high = reader.read(UInt64.self), let low = reader.read(UInt64.self),
            let lineage = reader.read(UInt64.self),
            let number = reader.read(UInt32.self)
        else { return nil }
        let identity = StoreIdentity(uuidLow: low, uuidHigh: high, lineage: lineage)
        let decoded = PageFileHeader.decode(block, identity: identity, number: number)
        guard case .success(let header) = decoded else { return nil }
        return header
    }

    /// The newest manifest of a store.
    func manifest(of identity: StoreIdentity?) -> Manifest? {
        manifests.filter { $0.identity.isSameStore(as: identity) }
            .max { $0.sequence < $1.sequence }
    }

    /// Where the log of a plan ends, as far as it is known.
    func end(of plan: SalvagePlan, _ sources: [SalvageSource]) -> LogEnd {
        var end = LogEnd(durableLSN: .zero, isKnown: false, cleanLSN: nil)
        for source in sources {
            for (salt, lsn) in source.fragments.durableLSNs where plan.segments[salt] != nil {
                end.durableLSN = max(end.durableLSN, lsn)
            }
        }
        for file in pageFiles where file.header.identity.isSameStore(as: plan.identity) {
            end.durableLSN = max(end.durableLSN, file.header.lsn)
        }
        for manifest in manifests where manifest.identity.isSameStore(as: plan.identity) {
            end.durableLSN = manifest.checkpoints.reduce(
                max(end.durableLSN, manifest.durableLSN)
            ) { max($0, $1.lsn) }
        }
        if let named, named.identity.isSameStore(as: plan.identity) {
            end.durableLSN = max(end.durableLSN, lockLSN)
        }
        if let manifest = manifest(of: plan.identity) {
            end.isKnown = true
            if manifest.isClean { end.cleanLSN = manifest.durableLSN }
        }
        return end
    }

    /// The checkpoints of a store that can be tried, best first: those that the manifest names,
    /// then the newest others.
    func checkpoints(of identity: StoreIdentity?) -> [Manifest.CheckpointEntry] {
        var entries = manifest(of: identity)?.checkpoints ?? []
        let others = pageFiles.filter {
            $0.isInPlace && $0.header.identity.isSameStore(as: identity)
        }
        for file in others.sorted(by: { $0.header.lsn > $1.header.lsn })
        where !entries.contains(where: { $0.file == file.header.number }) {
            entries.append(
                Manifest.CheckpointEntry(
                    file: file.header.number, lsn: file.header.lsn, seed: file.header.seed,
                    descriptorCRC: file.header.descriptorCRC))
        }
        return entries
    }
}

extension StoreIdentity {
    /// Whether both have the same UUID, whatever their lineage.
    func isSameStore(as other: StoreIdentity?) -> Bool {
        uuidLow == other?.uuidLow && uuidHigh == other?.uuidHigh
    }
}
