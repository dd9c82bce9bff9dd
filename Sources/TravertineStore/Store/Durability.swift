/// When a commit counts as done.
public enum Durability: Sendable, Hashable {
    /// The commit is on the disk before `commit` returns, and visible to others only then.
    ///
    /// Concurrent commits share one sync (group commit).
    case commit
    /// Visible at once; a sync follows at most this much later. A power cut may lose the last
    /// commits, never a part of one, and never one before another that is kept.
    case interval(milliseconds: Int)
    /// Visible at once; synced with the next durable commit, checkpoint, `sync()` or `close()`.
    ///
    /// A crash of the process loses nothing; a power cut may lose the last commits as above.
    case unsynced

    /// The earlier name of `unsynced`; it reads as the `none` of an optional.
    @available(*, deprecated, renamed: "unsynced")
    public static var none: Durability { .unsynced }
}
