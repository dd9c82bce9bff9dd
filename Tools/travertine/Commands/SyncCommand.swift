import ArgumentParser

/// `travertine sync`: starts the program that copies a realm to PostgreSQL.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Copy the objects of a realm to PostgreSQL, and what changes in them.",
        discussion: """
            Starts the program travertine-postgres, which is beside this one or in PATH. It is \
            built apart, because it needs libpq:

              swift build -c release --package-path Connectors/PostgreSQL

            Types become tables and properties columns. The first time everything is copied, then \
            what changes, until control-C or SIGTERM ends it; with --once it ends when the tables \
            have everything.

              travertine sync places.realm --to postgres://db.example/places
              travertine sync places.realm --to postgres://db.example/places --once --types Place

            All options: travertine-postgres sync --help

            Statuses: 64 wrong arguments; 65 the tables don't fit the types or belong to others, or \
            a value can't be stored; 66 no such realm; 69 the program is not there, or the server \
            refuses; 74 reading failed; 75 another command copies this feed; 77 permission denied, \
            here or by the server, or no password; 130 and 143 ended by a signal, with --once.
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: "The directory of the realm, --to with the server, and options.")
    var arguments: [String] = []

    func run() throws {
        let program = OtherProgram.postgres
        if program.path == nil, arguments.contains(where: { ["--help", "-h"].contains($0) }) {
            throw CleanExit.helpRequest(self)
        }
        try program.replaceProcess(with: ["sync"] + arguments)
    }
}
