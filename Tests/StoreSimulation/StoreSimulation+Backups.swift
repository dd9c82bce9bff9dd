import SimulatedDisk
import StoreMaintenance
import StoreWorkload
import TravertineStore

/// Backups of the store, and what they hold.
extension StoreSimulation {
    /// Makes or renews the backup; now and then one begins in another directory.
    mutating func takeBackup(of store: Store) throws {
        if chance(5) { backup.moveOn() }
        let methods = BackupOptions.Method.allCases
        let method = methods[Int(random.next() % UInt64(methods.count))]
        let lsn = try store.snapshot().lsn
        backup.begin(lsn: lsn, number: try Workload.counter(in: store.snapshot()))
        let report = try store.backup(
            to: backup.path, options: BackupOptions(method: method))
        history.append("backup at LSN \(report.lsn), \(report.reusedFileCount) files kept")
        if report.reusedFileCount > 0 { self.report.renewedBackupCount += 1 }
        self.report.backupCount += 1
        guard let number = backup.settle(lsn: report.lsn, isDurable: true) else {
            throw fail("a backup of LSN \(lsn) is as of LSN \(report.lsn)")
        }
        if readers != nil, chance(2) {
            try compareRestored(with: number, makeOptions(executor: ManualExecutor()))
        }
    }

    /// Whatever happened: the directory holds no backup, or one that is sound and, restored, holds
    /// what the model holds after the transaction that it was taken after.
    mutating func checkBackup() throws {
        guard takesBackups else { return }
        guard disk.contents(of: backup.path + "/backup") != nil else {
            if backup.isWhole { throw fail("a backup that was whole is gone") }
            if isAfterCrash { backup.forgetAttempts() }
            return
        }
        let options = makeOptions(executor: ManualExecutor())
        do {
            let found = try StoreBackup.verify(
                path: backup.path, environment: options.environment)
            guard found.isSound else { throw fail("the backup: \(found.findings)") }
            let number = backup.settle(lsn: found.lastLSN, isDurable: isAfterCrash)
            guard let number else {
                throw fail("the backup is as of LSN \(found.lastLSN); \(backup)")
            }
            try compareRestored(with: number, options)
        } catch let error as StoreError {
            throw fail("the backup can't be used: \(error)")
        }
    }

    private mutating func compareRestored(with number: UInt64, _ options: StoreOptions) throws {
        let target = "/restored-\(report.restoredCount)"
        report.restoredCount += 1
        try StoreBackup.restore(
            from: backup.path, to: target, options: BackupOptions(method: .copy),
            environment: options.environment)
        let copy = try Store.open(at: target, options: options)
        let snapshot = try copy.snapshot()
        var expected = WorkloadModel(workload)
        expected.advance(to: number)
        if let difference = try Workload.difference(of: snapshot, in: copy, from: expected) {
            throw fail("the backup of transaction \(number): \(difference)")
        }
        try copy.close()
        disk.loseDirectory(target)
    }
}
