import ArgumentParser

/// The command `travertine`: reads, fills and verifies stores.
struct TravertineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "travertine",
        abstract: "Look into, fill and verify Travertine stores.",
        discussion: """
            A store is a directory. The first thing to try:

              travertine import places.store cities.jsonl --key geonameid
              travertine stat places.store
              travertine scan places.store --limit 10
              travertine get places.store 2950159
              travertine fsck places.store

            A store with objects, which a program made or `import --documents`, has more:

              travertine stat places.realm
              travertine query places.realm "City where population > 1e6"
              travertine show places.realm City 2267057
              travertine export places.realm --format csv -o exported/

            The help of a command has examples and its exit statuses: travertine import --help. \
            Results are written to standard output, messages to standard error.
            """,
        version: "travertine \(TravertineCommand.version)",
        subcommands: [
            ImportCommand.self, GetCommand.self, ScanCommand.self, PutCommand.self,
            DeleteCommand.self, StatCommand.self, CompactCommand.self, FsckCommand.self,
            RecoverCommand.self, InspectCommand.self, DumpCommand.self, LoadCommand.self,
            BackupCommand.self, RestoreCommand.self, VerifyCommand.self, RekeyCommand.self,
            SchemaCommand.self,
            GenerateModelsCommand.self, ExportCommand.self, QueryCommand.self, ShowCommand.self,
            TailCommand.self, FeedsCommand.self, SyncCommand.self, ShipCommand.self,
            DiffCommand.self, EditCommand.self, ShellCommand.self, StudioCommand.self,
            ManualCommand.self,
        ])

    /// The newest release in CHANGELOG.md, which a test compares.
    static let version = "0.1.0"
}
