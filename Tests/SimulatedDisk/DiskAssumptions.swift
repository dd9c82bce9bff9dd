/// What the engine relies on a disk for, each a switch: with one off, the simulated disk breaks
/// that promise in a crash.
package struct DiskAssumptions: Sendable {
    /// The unit that is written whole or not at all.
    package var sectorByteCount = 512
    /// A sector holds one of the versions that it had, never a mixture.
    package var sectorIsAtomic = true
    /// Writing a sector again does not endanger the bytes in it that are durable already.
    package var overwriteKeepsDurableBytes = true
    /// After a rename the new name means the old file or the new one, never nothing.
    package var renameIsAtomic = true
    /// Allocated bytes that were never written read as zeros.
    package var unwrittenReadsAsZero = true
    /// After a failed sync of a directory, what it did not write is tried again by the next one
    /// (or the file system stops altogether, as journaling ones do). File contents get no such
    /// promise: a failed sync of a file marks its pages clean.
    package var failedDirectorySyncKeepsChanges = true
    /// Directory operations reach the disk in their order: a crash keeps a first part of them.
    /// Off by default: the engine does not rely on it.
    package var directoryOperationsAreOrdered = false

    package init() {}
}

/// What goes wrong at one call to the disk.
package enum DiskFault: Sendable, Hashable, CaseIterable {
    /// The call fails with EIO. A write leaves a part of its bytes; a sync loses what it likes.
    case inputOutput
    /// The call fails with ENOSPC, when it may need space.
    case noSpace
    /// The call fails with EACCES, without any effect.
    case noPermission
    /// A read or write is interrupted before anything happens.
    case interrupted
    /// A read or write does a part only, and reports how much.
    case short
    /// The machine stops before the call has any effect.
    case crashBefore
    /// The machine stops during the call: its effect is as uncertain as that of any before it.
    case crashDuring
}
