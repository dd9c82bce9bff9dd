import SegmentLog

/// How much memory an open store may take where no setting says it: a share of what the process
/// can have, and at least 64 MiB; but no more than twice the share where there is little.
package enum MemoryBudget {
    /// Of the nodes of an index, before leaves go back to page files: an eighth.
    static let ofIndex = share(8, of: MachineMemory.byteCount)
    /// Of what queries keep: a sixteenth.
    package static let ofQueries = share(16, of: MachineMemory.byteCount)

    /// Of what is decrypted of an encrypted store: a quarter.
    static let ofDecrypted = share(4, of: MachineMemory.byteCount)

    static func share(_ divisor: Int, of memory: Int) -> Int {
        max(memory / divisor, min(64 << 20, 2 * memory / divisor))
    }
}
