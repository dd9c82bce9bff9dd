import SegmentLog

/// Opening a store: what comes before and after the steps of `StoreOpening`.
extension Store {
    /// Opens the store in a directory; creates it when the directory is missing or empty.
    ///
    /// Loads the newest valid checkpoint and replays the log after it; falls back to the checkpoint
    /// before it, then to a replay of the whole log; the `.opened` event reports it.
    ///
    /// - Throws: `.notFound`, `.notADirectory`, `.notAStore`, `.permissionDenied`, `.locked`
    ///   (another store object or process has it), `.newerFormat`, `.wrongStore`, `.damaged` with
    ///   file, offset and LSN (run `travertine fsck`), `.io`.
    public static func open(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> Store {
        try open(at: path, options: options, isLocked: false)
    }

    /// As above, for a caller who may hold the lock of the directory, and goes on holding it.
    package static func open(
        at path: String, options: StoreOptions, isLocked: Bool
    ) throws(StoreError) -> Store {
        ForkDetector.start()
        try options.environment.startExecutor()
        let opening = StoreOpening(path: path, options: options, isLocked: isLocked)
        let store = try opening.open()
        store.scheduleScrub(afterNanoseconds: Store.scrubDelayNanoseconds)
        store.notify(.opened(store.openingReport))
        return store
    }
}

extension Environment {
    /// Lets background work begin before anything is opened: a lack of descriptors is an error now,
    /// and would end the process later.
    ///
    /// - Throws: `StoreError` with `.tooManyOpenFiles`.
    package func startExecutor() throws(StoreError) {
        do {
            try executor.start()
        } catch {
            throw StoreError(error)
        }
    }
}
