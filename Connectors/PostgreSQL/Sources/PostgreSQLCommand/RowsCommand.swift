import ArgumentParser
import Foundation
import PostgreSQLClient

/// `travertine-postgres rows`: prints the rows of a query, for `travertine import --from`.
struct RowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rows",
        abstract: "Print the rows of a query as JSON Lines.",
        discussion: """
            The query runs in a transaction that only reads. Each row is printed as it comes: a \
            JSON object with the columns by their names. `travertine import --from` starts this \
            program, and makes objects of the rows.

              travertine-postgres rows --from postgres://db.example/places --query 'SELECT * FROM city'

            The rows are complete only if the status is 0: 64 wrong arguments; 65 a value has no \
            such form; 69 the server refuses, or was lost; 74 writing failed; 77 permission denied \
            by the server, or no password; 130 and 143 ended by a signal.
            """)

    @Option(help: "The server, as `travertine sync --to` takes it, without a password.")
    var from: String

    @Option(help: "A statement of SQL that gives rows.")
    var query: String

    @Option(
        help: """
            What values are that JSON has no type for: plain, strings and numbers; objects, \
            Extended JSON with times as strings; documents, Extended JSON.
            """)
    var form = RowJSON.Form.plain

    @Flag(
        help: """
            In place of a row that has no such form print the reason, a JSON string, and go on; \
            without it, end with 65.
            """)
    var markInvalid = false

    @Option(
        help: """
            Print no rows, but the JSON Schema of an object type with this name, whose properties \
            are the columns.
            """)
    var title: String?

    @Option(help: "With --title: the column that is the primary key.")
    var key: String?

    mutating func validate() throws {
        if (title == nil) != (key == nil) {
            throw ValidationError("--title and --key need each other.")
        }
    }

    /// A query may sort or aggregate for long before its first row.
    private static let silenceMax = Duration.seconds(3600)

    func run() {
        var output = StandardOutput()
        do {
            try printRows(to: &output)
        } catch {
            if Signals.number != 0 {
                CommandFailure(status: 128 + Signals.number, message: "interrupted").exit()
            }
            if StandardOutput.isReaderGone { StandardOutput.failure("nobody reads them").exit() }
            CommandFailure(error, isCopying: false).exit()
        }
    }

    private func printRows(to output: inout StandardOutput) throws {
        let parameters = try ConnectionParameters(server: from, option: "--from")
        Signals.notice()
        var options = ConnectionOptions()
        options.timeout = Self.silenceMax
        // A query may run long before its first row, and nobody may wait for that any more.
        options.isCancelled = { Signals.number != 0 || StandardOutput.isReaderGone }
        let connection = try Connection(parameters, options: options)
        if let title, let key {
            let schema = try connection.schema(ofQuery: query, title: title, key: key)
            output.bytes += schema.text.utf8
            return try output.flush()
        }
        var number = 0
        try connection.forEachRow(ofQuery: query, as: form) { values, rows in
            number += 1
            do {
                try rows.append(values, to: &output.bytes)
            } catch let failure as RowJSON.Failure {
                guard markInvalid else {
                    // The rows before it are whole.
                    try output.flush()
                    throw CommandFailure(status: 65, message: "row \(number), \(failure)")
                }
                RowJSON.append(failure, to: &output.bytes)
            }
            try output.flushIfLarge()
        }
        try output.flush()
    }
}

extension RowJSON.Form: ExpressibleByArgument {}
