import TravertineStore

/// Opening a store and bringing it in line with classes.
extension Realm {
    /// Opens a store and brings it in line with classes, with `body`.
    static func open<Result>(
        _ configuration: Configuration, _ classes: [ClassInfo],
        _ body: (SharedStore) throws -> Result
    ) throws -> Result {
        var mayDelete = configuration.deleteRealmIfMigrationNeeded && !configuration.readOnly
        var attempts = 0
        while true {
            let unfit: UnfitSchema
            do {
                return try openOnce(configuration, body)
            } catch let found as UnfitSchema {
                unfit = found
            }
            // Classes that break rules fit no realm: deleting this one would lose it for nothing.
            guard mayDelete, attempts < 8, canBeStored(classes, configuration) else {
                throw unfit.error
            }
            // Nothing of this thread has it open any more, unless another handle does: then this
            // throws. If another thread or process has removed it in the meantime, the realm may
            // fit by now.
            switch try SharedStore.remove(configuration, ifStill: unfit.schema) {
            case true?:
                mayDelete = false
                Logger.log(
                    .info,
                    "\(configuration.directory.path): deleted, as deleteRealmIfMigrationNeeded asked "
                        + "for: the classes don't fit what was stored")
            case false?: attempts += 1
            case nil: SharedStore.waitForOthers()
            }
        }
    }

    /// The stored schema that classes did not fit, and how.
    private struct UnfitSchema: Swift.Error {
        let schema: StoredSchema
        let error: Realm.Error
    }

    private static func openOnce<Result>(
        _ configuration: Configuration, _ body: (SharedStore) throws -> Result
    ) throws -> Result {
        let shared = try SharedStore.open(configuration)
        try shared.checkIsOpen()
        try shared.follow()
        // As of before the comparison: if another thread makes the realm fit in the meantime, what
        // is deleted is not this schema any more, and opening is tried again.
        let schema = shared.schema
        do {
            return try body(shared)
        } catch let error as Realm.Error where error.code == .schemaMismatch {
            throw UnfitSchema(schema: schema, error: error)
        }
    }

    /// Whether a new realm would take the classes.
    private static func canBeStored(
        _ classes: [ClassInfo], _ configuration: Realm.Configuration
    ) -> Bool {
        let declarations = ClassInfo.declarations(
            ClassDiscovery.withLinkedLibraryClasses(classes), configuration.objectSchemas)
        return SchemaValidation.problems(of: declarations).isEmpty
    }
}
