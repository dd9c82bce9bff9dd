import TravertineStore

/// The tables of a read-only realm: another process may have changed the schema since the realm
/// was opened (Live 3, T-L7c).
extension RealmSession {
    /// The stored types of the version that is shown; nil if they can't be read.
    var shownSchema: StoredSchema? { shownTypes?.schema }

    /// The same, with what is known of them.
    var shownTypes: StoredTypes? {
        if let known = version.types { return known }
        do {
            if snapshot == nil { _ = try access }
            guard let snapshot else { return nil }
            let types = try shared.storedTypesCache.types(of: snapshot)
            version.types = types
            return types
        } catch {
            note(error)
            return nil
        }
    }

    /// Grows with each change of the stored schema, by whatever realm of the process. In a
    /// read-only realm it changes with the schema of the version that is shown, and may come back.
    var schemaChangeCount: UInt64 {
        if shared.isReadOnly, !isFrozen { return shownTypes?.number ?? 0 }
        return shared.schemaChangeCount.load(ordering: .acquiring)
    }

    /// The table of a class that is used first; one without objects if the version that is shown
    /// lacks the type, or has one that the class does not fit.
    func followedTable(_ info: ClassInfo) -> TableState {
        if !isFrozen { requireManaged(info, configuration.objectTypes == nil || isOpened(info)) }
        guard let stored = storedType(named: info.storedName), fits(stored, info) else {
            return missingTable(info)
        }
        if !isFrozen, !isOpened(info) { enterShown(info) }
        return isOpened(info) ? add(makeTable(stored, info)) : missingTable(info)
    }

    /// Whether a class fits a stored type; if not, the error is noted.
    func fits(_ stored: StoredObjectType, _ info: ClassInfo) -> Bool {
        guard let error = misfit(stored, info) else { return true }
        note(error)
        return false
    }

    /// What keeps a class from reading a stored type.
    func misfit(_ stored: StoredObjectType, _ info: ClassInfo) -> Realm.Error? {
        let problems = SchemaComparison.differences(stored, info, isSubset: true)
        if problems.isEmpty { return nil }
        return Realm.Error(
            .schemaMismatch,
            "The stored schema was changed while this realm was open with classes that don't fit "
                + "it any more:\n- " + problems.joined(separator: "\n- "),
            fileURL: shared.fileURL)
    }

    /// Enters a class that was not discovered when the realm was opened, with those that it leads
    /// to, as far as the version that is shown has their types.
    private func enterShown(_ info: ClassInfo) {
        let new = ClassDiscovery.newClasses(from: info, besides: openedClasses).filter { info in
            storedType(named: info.storedName).map { misfit($0, info) == nil } ?? false
        }
        // The newest version may be another one: opening a realm compares them again.
        shared.enter(new, arePartial: true)
    }
}
