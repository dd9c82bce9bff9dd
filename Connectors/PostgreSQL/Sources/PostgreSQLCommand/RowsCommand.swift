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
            by the server; 130 and 143 ended by a signal.
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

    /// A query may sort or aggregate for long before its first row.
    private static let silenceMax = Duration.seconds(3600)

    func run() {
        do {
            try printRows()
        } catch {
            if Signals.number != 0 {
                CommandFailure(status: 128 + Signals.number, message: "interrupted").exit()
            }
            CommandFailure(error, isCopying: false).exit()
        }
    }

    private func printRows() throws {
        let parameters = try ConnectionParameters(server: from, option: "--from")
        Signals.notice()
        var options = ConnectionOptions()
        options.timeout = Self.silenceMax
        options.isCancelled = { Signals.number != 0 }
        let connection = try Connection(parameters, options: options)
        // The texts that `RowJSON` reads, whatever the server or the role has for a default.
        for setting in [
            "datestyle = 'ISO, YMD'", "timezone = 'UTC'", "bytea_output = 'hex'",
            "extra_float_digits = 3",
        ] { try connection.execute("SET \(setting)") }
        var output = StandardOutput()
        try connection.transaction(isReadOnly: true) { connection in
            let statement = try connection.prepare(query)
            let row = try RowJSON(connection.columns(of: statement), form: form)
            var number = 0
            try connection.forEachRow(of: statement) { values in
                number += 1
                let start = output.bytes.count
                do {
                    try row.append(values, to: &output.bytes)
                } catch let failure as RowJSON.Failure {
                    // The rows before it are whole.
                    output.bytes.removeSubrange(start...)
                    try output.flush()
                    throw CommandFailure(status: 65, message: "row \(number), \(failure)")
                }
                try output.flushIfLarge()
            }
        }
        try output.flush()
    }
}

/// Bytes for standard output that were not written yet.
private struct StandardOutput {
    private static let byteCountMax = 64 << 10

    var bytes: [UInt8] = []

    mutating func flushIfLarge() throws {
        if bytes.count >= Self.byteCountMax { try flush() }
    }

    mutating func flush() throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(
                    status: 74,
                    message: "the rows can't be written: \(String(cString: strerror(errno)))")
            }
            written += count
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

extension RowJSON.Form: ExpressibleByArgument {}
