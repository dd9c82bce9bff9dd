import ArgumentParser
import Travertine

/// `travertine shell`: runs queries that are typed or come from a pipe.
struct ShellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Run queries that are typed, or read from standard input.",
        discussion: """
            A line is a query, as `travertine query` takes it; several are separated by `;`, and a \
            line that ends with a backslash goes on with the next one. Lines that begin with a \
            point are commands of the shell, and .help lists them. Lines that begin with # or -- \
            are left out.

              travertine shell cities.realm
              echo "City where population > 1e6" | travertine shell cities.realm --mode csv
              travertine shell cities.realm < queries.txt
              rlwrap travertine shell --plain cities.realm

            On a terminal there is a prompt, and the line editor of the system (libedit or \
            libreadline) gives history and completes types and properties with the tab key, if it \
            is installed; with --plain it is left alone. What a program commits in the meantime is \
            seen by the next query.

            An error does not end the shell. On a terminal the status is 0. Otherwise it is that of \
            the first query that failed, after all were run; with --bail the rest is not run.

            Statuses: 0 done; 64 a query or command is wrong; 65 the store is damaged; 66 no such \
            store; 74 reading or writing failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Option(
        help: """
            How objects are printed: table, tab, json or csv. (default: table on a terminal, else \
            tab)
            """)
    var mode: ResultFormat?

    @Flag(help: "End at the first error.") var bail = false

    @OptionGroup var common: CommonArguments
    @Flag(help: "Read plain lines, without the line editor of the system.") var plain = false

    func run() throws {
        let status = try MainActor.assumeIsolated {
            let realm = try StoredTypes.realm(directory, forReading: true)
            var shell = QueryShell(realm, format: mode ?? (Terminal.isOutput ? .table : .tab))
            var input = ShellInput(realm, isPlain: plain)
            return try Self.run(&shell, &input, bails: bail)
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// Runs all that is read.
    ///
    /// - Returns: the status of the first error, 0 on a terminal.
    @MainActor
    private static func run(
        _ shell: inout QueryShell, _ input: inout ShellInput, bails: Bool
    ) throws -> Int32 {
        var status: Int32 = 0
        while !shell.isDone, let (text, number) = try input.next() {
            for statement in QueryShell.statements(text) {
                do {
                    try shell.run(statement)
                } catch {
                    let report = ErrorReport(error, subcommand: Entry.subcommand)
                    let place = input.isInteractive ? "" : "line \(number): "
                    printToStandardError(place + report.shown)
                    if status == 0 { status = report.status }
                    if bails { return status }
                }
                if shell.isDone { break }
            }
        }
        return input.isInteractive ? 0 : status
    }
}
