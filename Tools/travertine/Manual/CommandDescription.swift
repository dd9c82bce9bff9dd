import Foundation

/// A command as its declaration says it, in the form of `--experimental-dump-help`.
struct CommandDescription: Decodable {
    /// An argument, option or flag.
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            /// The name with its dashes.
            var shown: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: String
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let isOptional: Bool
        let isRepeating: Bool
        let shouldDisplay: Bool
        let allValues: [String]?
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool
    let arguments: [Argument]?
    let subcommands: [CommandDescription]?

    private struct Root: Decodable {
        let command: CommandDescription
    }

    /// The whole command.
    static func ofTravertine() throws -> CommandDescription {
        try JSONDecoder().decode(Root.self, from: Data(TravertineCommand._dumpHelp().utf8)).command
    }

    /// The commands below that are listed, without `help`.
    var listedSubcommands: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }
}
