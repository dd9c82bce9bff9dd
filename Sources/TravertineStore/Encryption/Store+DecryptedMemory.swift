import SegmentLog

/// Keeping what is decrypted of an encrypted store within its budget (X5).
///
/// Reading a record beyond the budget asks for a job, which lets go of segments while nobody writes
/// and compaction rests, and frees what earlier jobs let go of once no snapshot can read it.
extension Store {
    /// Has the log ask for the job.
    func watchDecryptedMemory() {
        let executor = options.environment.compactionExecutor
        log.setDecryptedByteCountMax(options.decryptedMemoryBudget ?? MemoryBudget.ofDecrypted) {
            [handle] in
            executor.submit { handle.target?.letGoOfDecryptedInJob() }
        }
    }

    private func letGoOfDecryptedInJob() {
        compaction.stepping.lock()
        defer { compaction.stepping.unlock() }
        // A store that closes, or that follows another process, needs no job.
        let entered = capture { () throws(StoreError) in try gate.enter() }
        guard case .success = entered else { return }
        defer { gate.leave() }
        letGoOfDecrypted()
    }

    /// Lets go of decrypted memory beyond the budget. The caller keeps writers and compaction away.
    func letGoOfDecrypted() {
        log.letGoOfDecrypted(version: index.newestVersion) { index.isPinned(through: $0) }
    }
}
