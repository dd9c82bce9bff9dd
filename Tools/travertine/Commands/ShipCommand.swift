import ArgumentParser

/// `travertine ship`: starts the program that keeps a backup of a store in object storage.
struct ShipCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ship",
        abstract: "Keep a backup of a store in S3, up to date to the second.",
        discussion: """
            Starts the program travertine-ship, which is beside this one or in PATH. It is built \
            apart, because it needs an HTTP library:

              swift build -c release --package-path Connectors/ObjectStorage

            The store may be open in a program. What it commits is in the backup within the time \
            that --every says, until control-C or SIGTERM ends it; with --once it ends when the \
            backup has everything. `restore` makes a store of it, also as of an earlier time or \
            commit, and `check` finds out whether each of its points can be restored.

              travertine ship places.store s3://backups/places --every 1s
              travertine ship points s3://backups/places
              travertine ship check s3://backups/places
              travertine restore s3://backups/places again.store --at 2026-11-29T12:00

            All options: travertine-ship --help, travertine-ship ship --help

            Statuses: 64 wrong arguments; 65 the backup is of another store, or damaged; 66 no \
            such store or backup; 69 the program is not there, or the storage refuses; 74 reading \
            or writing failed; 75 another program ships to the same place; 77 permission denied; \
            130 and 143 ended by a signal, with --once.
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: "The directory of the store, the place in S3, and options.")
    var arguments: [String] = []

    static let program = OtherProgram(
        name: "travertine-ship", package: "Connectors/ObjectStorage")

    /// What the program is asked for but to ship.
    private static let others = ["check", "points", "prune", "restore"]

    func run() throws {
        if Self.program.path == nil, arguments.contains(where: { ["--help", "-h"].contains($0) }) {
            throw CleanExit.helpRequest(self)
        }
        let isOther = arguments.first.map { Self.others.contains($0) } ?? false
        try Self.program.replaceProcess(with: (isOther ? [] : ["ship"]) + arguments)
    }
}
