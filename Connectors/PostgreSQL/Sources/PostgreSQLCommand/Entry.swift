import ArgumentParser

/// The program `travertine-postgres`, which `travertine sync` and `import` start.
@main
struct PostgreSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "travertine-postgres",
        abstract: "Copies realms to servers that speak PostgreSQL's protocol, and prints rows.",
        subcommands: [SyncCommand.self, RowsCommand.self])
}
