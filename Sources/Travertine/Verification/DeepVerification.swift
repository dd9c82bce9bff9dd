import StoreMaintenance
import TravertineStore

/// Verifies, and repairs, a store and the objects in it: what `travertine fsck --deep` does.
///
/// The store's lock is held from the first step to the last, so that nobody opens it in between and
/// what one step found is still so in the next.
public enum DeepVerification {
    /// Verifies a store as `StoreVerifier` does at level `.deep`, then the objects in it as
    /// `ObjectVerifier` does. Changes nothing.
    ///
    /// - Throws: what `StoreVerifier.verify` throws. Damage is in the report instead.
    public static func verify(
        path: String, key: EncryptionKey? = nil,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws -> VerificationReport {
        let hold = try VerificationHold(of: path, environment: .system(key))
        var report = try StoreVerifier.verify(hold, level: .deep, progress: progress)
        // What does not open has no objects to read.
        guard report.isLogWhole else { return report }
        report.findings += try ObjectVerifier.verify(hold).findings
        return report
    }

    /// Verifies a store and the objects in it, and repairs what can be repaired without losing
    /// anything: as `StoreRepair` does, then as `ObjectRepair` does.
    ///
    /// - Throws: what `StoreRepair.repair` throws; `StoreError` when a step of the repair of
    ///   objects fails. What the objects themselves make impossible is a finding.
    public static func repair(
        path: String, key: EncryptionKey? = nil,
        progress: ((VerificationProgress) -> Void)? = nil
    ) throws -> RepairReport {
        let hold = try VerificationHold(of: path, environment: .system(key))
        var repaired = try StoreRepair.repair(hold, level: .deep, progress: progress)
        guard (repaired.after ?? repaired.before).isLogWhole else { return repaired }
        let objects = try ObjectVerifier.verify(hold)
        let backup: String?
        do {
            backup = try ObjectRepair.rebuild(
                objects, in: path, isLocked: true, environment: .system(key))
        } catch let error as Realm.Error where error.underlying == nil {
            repaired.note(objects.findings + [impossible(error)])
            return repaired
        }
        guard let backup else {
            repaired.note(objects.findings)
            return repaired
        }
        repaired.before.findings += objects.findings
        let count = objects.differingKeyspaces.count
        repaired.actions.append(
            "Built \(count) derived keyspace\(count == 1 ? "" : "s") anew from the objects.")
        let backups = [repaired.backupPath, backup].compactMap(\.self)
        repaired.backupPath = backups.joined(separator: ", ")
        var after = try StoreVerifier.verify(hold, level: .deep, progress: progress)
        after.findings += try ObjectVerifier.verify(hold).findings
        repaired.after = after
        return repaired
    }

    private static func impossible(_ error: Realm.Error) -> VerificationReport.Finding {
        VerificationReport.Finding(
            .error, "The derived keyspaces can't be built anew: \(error.message)",
            advice: "The store is as it was. Repair the objects that are named, or restore the "
                + "store from a backup.")
    }
}

extension RepairReport {
    /// Adds findings to the newest state of the store.
    fileprivate mutating func note(_ findings: [VerificationReport.Finding]) {
        if after == nil { before.findings += findings } else { after?.findings += findings }
    }
}
