import ArgumentParser

/// The program `travertine-postgres`, which `travertine sync` starts.
@main
struct PostgreSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "travertine-postgres",
        abstract: "Copies realms to servers that speak PostgreSQL's protocol.",
        subcommands: [SyncCommand.self])
}
