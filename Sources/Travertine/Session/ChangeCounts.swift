/// How often things changed that handles, results and caches depend on: they note a count, and are
/// out of date when it is another.
struct ChangeCounts {
    /// Changes of rows in place, which leave the generation as it is.
    var changeCount: UInt64 = 0
    /// Changes of links, but for those of objects that were deleted.
    var linkChangeCount: UInt64 = 0
    /// Deletions of objects, and changes to another state.
    var membershipCount: UInt64 = 0
    /// Changes of what tables know of their types.
    var tableChangeCount: UInt64 = 0
    /// Calls of `invalidate`.
    var invalidationCount: UInt32 = 0
    /// Types that were rolled back with their transaction, and calls of `invalidate`.
    var goneCount = 0
    /// Links that were made varying while the realm was open.
    var variationCount = 0
}
