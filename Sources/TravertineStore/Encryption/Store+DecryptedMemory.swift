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
        // A store that follows another process has no writers and no compaction here.
        if readers == nil {
            letGoOfDecrypted()
            return
        }
        compaction.stepping.lock()
        defer { compaction.stepping.unlock() }
        // A store that closes needs no job.
        let entered = capture { () throws(StoreError) in try gate.enter() }
        guard case .success = entered else { return }
        defer { gate.leave() }
        letGoOfDecrypted()
    }

    /// Lets go of decrypted memory beyond the budget. The caller keeps writers and compaction away.
    private func letGoOfDecrypted() {
        let hasLetGo = log.letGoOfDecrypted(version: index.publishedVersion) {
            index.isPinned(through: $0)
        }
        guard hasLetGo else { return }
        options.environment.compactionExecutor.submit { [handle] in
            handle.target?.letGoOfDecryptedInJob()
        }
    }
}
