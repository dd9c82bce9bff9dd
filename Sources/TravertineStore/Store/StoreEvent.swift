/// Something that a store reports to its event handler.
public enum StoreEvent: Sendable {
    /// Opening has finished; the report says what it found.
    case opened(OpeningReport)
    /// A checkpoint was written.
    case checkpointWritten(lsn: UInt64, byteCount: Int)
    /// A checkpoint could not be written; commits go on, and it is tried again later.
    case checkpointFailed(StoreError)
    /// A damaged index page was read, and these keyspaces were rebuilt from the log.
    case rebuilt(keyspaces: [UInt32])
    /// A damaged index page was read, and its keyspace could not be rebuilt: reads that need the
    /// page throw until the store is opened again.
    case rebuildingFailed(StoreError)
    /// A pass of compaction is complete.
    case compacted(CompactionReport)
    /// A pass of compaction ended early, or left out a segment; commits go on, and it is tried
    /// again.
    case compactionFailed(StoreError)
    /// A full pass of verification in the background, or by `Store.scrub()`, is complete.
    case scrubbed(ScrubReport)
    /// Verification found a file damaged, or could not read it. Nothing was changed: run
    /// `travertine fsck`, and get the disk looked at.
    case scrubFoundDamage(StoreError)
    /// The sync of a checkpoint, a manifest or the LSN that readers see failed. Commits go on, but
    /// no file is removed, and nothing is compacted, until the store is closed and opened again.
    case spaceReclaimStopped(StoreError)
    /// A sync failed: writes are refused until the store is opened again.
    case poisoned(StoreError)
    /// Closing the store left something undone, which the next opening makes good.
    case closedWithError(StoreError)
}
