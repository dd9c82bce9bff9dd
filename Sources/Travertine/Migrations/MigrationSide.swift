/// That a session has one side of a migration, the old objects or the new ones.
struct MigrationSide {
    var isOn = false
    /// The migration, while its block runs.
    weak var migration: Migration?
}
