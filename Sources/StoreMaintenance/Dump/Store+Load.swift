import SegmentLog
import TravertineStore

/// Making a store of a dump (D6).
extension Store {
    /// Makes a store of a dump, at a path where nothing is, or an empty directory.
    ///
    /// The store is built under the path with `.loading` after it, and renamed when all of the dump
    /// is there, checked and durable: an interrupted load is never mistaken for a store, and the
    /// next one clears it away. After an error nothing is left. Memory is bounded, except for the
    /// index.
    ///
    /// - Parameters:
    ///   - options: how to open the store while it is filled.
    ///   - progress: called now and then with how far it is.
    ///   - source: fills the buffer with the next bytes of the dump, and returns how many; 0 at
    ///     the end.
    /// - Throws: `DumpError` with the line of a dump that can't be used; `.misuse` when something
    ///   is at the path; `.locked` while another load builds there; `.diskFull`, `.io`; what
    ///   `source` throws.
    @discardableResult
    public static func load(
        at path: String, options: StoreOptions = StoreOptions(),
        progress: ((DumpProgress) -> Void)? = nil,
        from source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> DumpSummary {
        let place = try StorePlace(
            path: path, for: .loading, apartFrom: [],
            fileSystem: options.environment.fileSystem)
        let summary: DumpSummary
        do {
            summary = try withoutActuallyEscaping(source) { source in
                try fill(place.workPath, options: options, progress: progress, from: source)
            }
        } catch {
            place.abandon()
            throw error
        }
        try place.finish()
        return summary
    }

    private static func fill(
        _ path: String, options: StoreOptions, progress: ((DumpProgress) -> Void)?,
        from source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> DumpSummary {
        var options = options
        options.createIfMissing = true
        let store = try Store.open(at: path, options: options, isLocked: true)
        do {
            var loader = DumpLoader(store, progress: progress, from: source)
            let summary = try loader.load()
            // Two, so that no opening ever begins before them: what is flagged invalid is so
            // in checkpoints only.
            try store.checkpoint()
            try store.checkpoint()
            try store.close()
            return summary
        } catch {
            // What closing finds does not matter: the files go.
            _ = capture { () throws(StoreError) in try store.close() }
            throw error
        }
    }
}
