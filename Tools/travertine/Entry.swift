import Foundation

/// The entry: parses the arguments, runs the command, and turns errors into exit statuses.
@main
enum Entry {
    static func main() {
        // A write beyond the limit of file sizes is an error with a message, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        do {
            if let problem = CommandName.problem(of: subcommand) { throw problem }
            let arguments = NegativeKey.asOperand(Array(CommandLine.arguments.dropFirst()))
            var command = try TravertineCommand.parseAsRoot(arguments)
            try command.run()
            try OutputWriter.finishPrinting()
        } catch {
            ErrorReport(error, subcommand: subcommand).exit()
        }
    }

    /// What the command line asks for: statuses and advice depend on it.
    static var subcommand: String? { CommandLine.arguments.dropFirst().first }
}
