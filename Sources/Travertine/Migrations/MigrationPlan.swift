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
        // Names are followed from version to version.
        let disorder = disorder
        return gaps(from: stored.version, to: version)
            + (disorder.isEmpty ? resolved(stored, classes).problems : disorder)
    }

    private var disorder: [String] {
        zip(versions, versions.dropFirst()).compactMap { one, next in
            next.version > one.version
                ? nil
                : "Version \(next.version) of `migrations` comes after version \(one.version)."
        }
    }

    /// The versions after the schema's, and those that are missing: at most three.
    private func gaps(from stored: UInt64, to version: UInt64) -> [String] {
        var problems = versions.filter { $0.version > version }.map {
            "`migrations` has version \($0.version), and `schemaVersion` is \(version)."
        }
        let declared = Set(versions.map(\.version))
        var expected = stored + 1
        let countMax = problems.count + 3
        while expected <= version, problems.count < countMax {
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
