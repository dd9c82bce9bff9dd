/// What keeps classes from being installed, and what to do about it.
extension SchemaInstaller {
    /// Everything that keeps the classes from being installed, in whole sentences: the rules that
    /// they break, then how they differ from what is stored.
    func problems() -> [String] {
        var problems =
            SchemaValidation.problems(of: classes)
            + classes.compactMap { SchemaComparison.changedKind(stored, $0) }
        if version < stored.version {
            problems.append(
                "Provided schema version \(version) is less than last set version "
                    + "\(stored.version): a newer program has opened the realm. Open it with the "
                    + "classes and the `schemaVersion` of that; a raised version alone would have "
                    + "these older classes remove what it added.")
        }
        let isMigrating = version > stored.version && !stored.types.isEmpty && migration != nil
        if isMigrating, !isReadOnly {
            problems += migration?.problems(from: stored, to: version, classes) ?? []
        }
        // A migration may rename it: that is compared after it.
        if isSubset, !isMigrating || isReadOnly {
            problems += classes.compactMap { SchemaComparison.leftOutKey(stored, $0) }
        }
        let differences = classes.flatMap { info in
            stored.type(named: info.storedName).map {
                SchemaComparison.differences($0, info, isSubset: isSubset)
            } ?? []
        }
        if isReadOnly { return problems + unstored(differences) }
        if !differences.isEmpty, version == stored.version {
            problems += differences
            problems += sentences(since: stored, SchemaComparison.possibleRenamings)
            problems.append(
                "Raise `schemaVersion` of the configuration above \(stored.version): added and "
                    + "removed properties, and changes that keep all values, need nothing else; what "
                    + "would lose values needs a `migrationBlock`.")
        }
        return problems
    }

    /// What the classes need that is not stored, which a read-only realm can't change.
    private func unstored(_ differences: [String]) -> [String] {
        let missing = classes.filter { stored.type(named: $0.storedName) == nil }.map {
            "Type '\($0.storedName)' is not stored."
        }
        if differences.isEmpty, missing.isEmpty { return [] }
        // It was open for writing, by a newer program.
        if version < stored.version { return differences + missing }
        return differences + missing + [
            "A read-only realm can't be changed: open it for writing once."
        ]
    }

    /// What to do where a change would lose values.
    ///
    /// - Parameter before: what was stored when the change began.
    func adviceOnLosses(since before: StoredSchema) -> [String] {
        [
            "Nothing was changed. To keep the values, set the property in a `migrationBlock`: "
                + "`migration.enumerateObjects(ofType:) { old, new in new![\"…\"] = old![\"…\"] … }`. "
                + "To remove them, set `discardsChangedProperties` of the configuration."
        ] + sentences(since: before, SchemaComparison.possibleRenamings)
            + sentences(since: before, SchemaComparison.pendingRemovals)
    }

    /// What is to be said of each class whose type was stored and is; nothing of a subset.
    private func sentences(
        since before: StoredSchema,
        _ of: (StoredObjectType, StoredObjectType, ClassInfo) -> [String]
    ) -> [String] {
        if isSubset { return [] }
        return classes.flatMap { info -> [String] in
            guard let old = before.type(named: info.storedName),
                let new = stored.type(named: info.storedName)
            else { return [] }
            return of(old, new, info)
        }
    }

    /// Notes which properties were removed with their values: those that may have become added
    /// ones, of which a migration set nothing, and the others.
    ///
    /// - Parameters:
    ///   - before: what was stored.
    ///   - session: that of the transaction, in which everything is done.
    ///   - migration: what ran in it, if anything did.
    mutating func noteRemoved(
        since before: StoredSchema, _ session: RealmSession, _ migration: Migration?
    ) throws {
        if isSubset || before.version == version { return }
        let access = try session.access
        for info in classes {
            guard let old = before.type(named: info.storedName),
                let new = stored.type(named: info.storedName), access.count(in: new.rows) > 0
            else { continue }
            possiblyForgotten += SchemaComparison.forgottenRenamings(old, new, info) { added in
                migration?.isAssigned(added.number, of: new.number) ?? false
            }
            removals += SchemaComparison.removals(old, new, info)
        }
    }

    func mismatch(_ problems: [String]) -> Realm.Error {
        // What the classes declare can be wrong by itself, whatever is stored.
        let rules = Set(SchemaValidation.problems(of: classes))
        let isOfRules = stored.types.isEmpty || problems.allSatisfy { rules.contains($0) }
        return Realm.Error(
            .schemaMismatch,
            (isOfRules
                ? "The object types can't be used:\n- "
                : "The classes don't fit the stored schema:\n- ")
                + problems.joined(separator: "\n- "),
            fileURL: fileURL)
    }
}
