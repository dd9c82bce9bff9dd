import Foundation

extension InputProgram {
    /// The program that asks a server of PostgreSQL, and writes a line of JSON for each row.
    static func rows(of query: ServerQuery, as form: ServerQuery.Form) throws -> InputProgram {
        try asking(query, ["--form=\(form.rawValue)", "--mark-invalid"])
    }

    /// The same program, when it writes the JSON Schema of a type with the columns of the query.
    static func schema(
        of query: ServerQuery, title: String, key: String
    ) throws -> InputProgram {
        try asking(query, ["--title=\(title)", "--key=\(key)"])
    }

    private static func asking(
        _ query: ServerQuery, _ arguments: [String]
    ) throws -> InputProgram {
        let program = OtherProgram.postgres
        let path = try program.requiredPath()
        return try InputProgram(
            path,
            // Joined: a query may begin with a comment, which looks like an option.
            ["rows", "--from=\(query.server)", "--query=\(query.text)"] + arguments,
            input: .nullDevice,
            startFailure: CommandError(ExitStatus.unavailable, "\(path) can't be started.")
        ) { end, text in
            switch end {
            case .status(0): return nil
            case .status(let status):
                let lines = text.split(separator: "\n").map(String.init)
                let reason = lines.joined(separator: "\n")
                // What ArgumentParser says.
                if status == ExitStatus.usage, reason.contains("Unknown option") {
                    return CommandError(
                        status,
                        "\(path) may be older than travertine: it does not know an option that this "
                            + "needs. Build or install it again.\n\(reason)")
                }
                let prefix = "error: "
                return CommandError(
                    status,
                    reason.isEmpty
                        ? "\(program.name) ended with status \(status)."
                        : reason.hasPrefix(prefix)
                            ? String(reason.dropFirst(prefix.count)) : reason)
            case .signal(let signal):
                return CommandError(
                    ExitStatus.inputOutput,
                    "the rows are not complete: \(program.name) was ended by signal \(signal).")
            }
        }
    }
}
