import SegmentLog
import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Repairs of the object layer that lose nothing: derived keyspaces are built anew from rows.
public enum ObjectRepair {
    /// Builds the derived keyspaces that a verification found to differ, in one transaction, after
    /// a backup of the store beside it.
    ///
    /// - Returns: the directory of the backup, of which `travertine restore` makes the store as it
    ///   was; nil if nothing differs, and nothing was done.
    /// - Throws: `StoreError` when the store does not open, or a step fails; `Realm.Error` with
    ///   `.duplicatePrimaryKey` when two rows have one primary key, `.uniqueViolation` when two
    ///   have the same values of a unique index, or for a row that does not decode. The store is as
    ///   before then.
    public static func rebuild(
        _ report: ObjectReport, in path: String, key: EncryptionKey? = nil
    ) throws -> String? {
        try rebuild(report, in: path, isLocked: false, environment: .system(key))
    }

    /// As above, for a caller who may hold the lock of the store.
    static func rebuild(
        _ report: ObjectReport, in path: String, isLocked: Bool, environment: Environment
    ) throws -> String? {
        if report.differingKeyspaces.isEmpty { return nil }
        var options = StoreOptions()
        options.createIfMissing = false
        options.scrub = nil
        options.environment = environment
        let store = try Store.open(at: path, options: options, isLocked: isLocked)
        // A repair writes no more than what it says; each checkpoint would ask for compaction.
        store.pauseCompaction()
        let backup = unusedPath(beside: path)
        do {
            try store.backup(to: backup)
            try rebuild(Set(report.differingKeyspaces.map(KeyspaceID.init(rawValue:))), in: store)
            // Both checkpoints that the store has.
            for _ in 0..<2 { try store.checkpoint() }
        } catch {
            // The first error says more.
            _ = try? store.close()
            throw error
        }
        try store.close()
        return backup
    }

    private static func rebuild(_ keyspaces: Set<KeyspaceID>, in store: Store) throws {
        guard let records = try store.keyspace(named: StoredSchema.keyspaceName) else { return }
        try store.write { transaction in
            let schema = try StoredSchema.load(transaction.access, keyspace: records.identifier)
            for type in schema?.types ?? [] {
                let differing = keyspaces.intersection(type.derivedKeyspaces)
                if differing.isEmpty { continue }
                var builder = DerivedBuilder(
                    transaction: transaction, type: type, schemaKeyspace: records.identifier)
                try builder.build(differing)
            }
        }
    }

    private static func unusedPath(beside path: String) -> String {
        let base = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var number = 1
        while FileManager.default.fileExists(atPath: "\(base).before-repair-\(number)") {
            number += 1
        }
        return "\(base).before-repair-\(number)"
    }
}
