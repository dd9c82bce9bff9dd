/// What a configuration does with stored objects when the schema gets a higher version: declared
/// steps, then a block.
struct MigrationPlan {
    let block: MigrationBlock?
    let versions: [MigrationVersion]
    let progress: (@Sendable (MigrationProgress) -> Void)?

    /// Nil if nothing is done with them.
    init?(_ configuration: Realm.Configuration) {
        if configuration.migrationBlock == nil, configuration.migrations.isEmpty { return nil }
        block = configuration.migrationBlock
        versions = configuration.migrations
        progress = configuration.migrationProgress
    }

    /// What is wrong with the declared steps, in whole sentences.
    func problems(
        from stored: StoredSchema, to version: UInt64, _ classes: [ClassInfo]
    ) -> [String] {
        if versions.isEmpty { return [] }
        let gaps = problems(from: stored.version, to: version)
        if !gaps.isEmpty { return gaps }
        return resolved(stored, classes).problems
    }

    /// What is wrong with the versions.
    private func problems(from stored: UInt64, to version: UInt64) -> [String] {
        var problems: [String] = []
        for (one, next) in zip(versions, versions.dropFirst()) where next.version <= one.version {
            problems.append(
                "Version \(next.version) of `migrations` comes after version \(one.version).")
        }
        for declared in versions where declared.version > version {
            problems.append(
                "`migrations` has version \(declared.version), and `schemaVersion` is \(version).")
        }
        if !problems.isEmpty { return problems }
        let declared = Set(versions.map(\.version))
        var expected = stored + 1
        while expected <= version, problems.count < 3 {
            if !declared.contains(expected) {
                problems.append(
                    "The realm has version \(stored), and `migrations` lacks version \(expected). "
                        + "List each version, also one that needs no step: "
                        + "`MigrationVersion(\(expected))`.")
            }
            expected += 1
        }
        return problems
    }

    private func resolved(_ stored: StoredSchema, _ classes: [ClassInfo]) -> ResolvedSteps {
        ResolvedSteps(
            versions.filter { $0.version > stored.version }, stored: stored, classes: classes)
    }

    /// Runs the steps after a version, then the block.
    func run(_ migration: Migration, from stored: StoredSchema) throws {
        if !versions.isEmpty { try resolved(stored, migration.declarations).run(migration) }
        if migration.new.failure == nil { try block?(migration, stored.version) }
    }
}
