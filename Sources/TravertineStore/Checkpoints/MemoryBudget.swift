import SegmentLog

/// How much memory the nodes of an index may take before leaves go back to page files.
enum MemoryBudget {
    /// Without a setting: an eighth of the memory that the process can have, and at least 64 MiB;
    /// but no more than a quarter where there is little.
    static let automatic: Int = {
        let memory = MachineMemory.byteCount
        return max(memory / 8, min(64 << 20, memory / 4))
    }()
}
