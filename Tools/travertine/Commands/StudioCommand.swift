import ArgumentParser
import Foundation

/// `travertine studio`: starts the program that shows a realm in a browser.
struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Show a realm in a browser: types, objects, schema and space, live.",
        discussion: """
            Starts the program travertine-studio, which is beside this one or in PATH. It is built \
            apart, because it needs an HTTP library:

              swift build -c release --package-path Studio

            It listens on 127.0.0.1 only, and prints an address with a key; without that key nobody \
            on this machine sees the realm. Control-C ends it.

              travertine studio places.realm
              travertine studio places.realm --port 8080 --no-open

            The realm may be open in a program that writes to it: the page follows its commits.

            Statuses: 64 wrong arguments; 66 no such realm; 69 the program is not there, or the port \
            is taken; 74 reading failed; 75 another program has the realm open for writing; 77 \
            permission denied.
            """)

    @Argument(help: "The directory of the realm.", completion: .directory)
    var directory: String

    @Option(help: "The port on 127.0.0.1. (default: any that is free)")
    var port: UInt16?

    @Flag(help: "Change nothing, and work beside a program that has the realm open. (default)")
    var readOnly = false

    @Flag(help: "Let the page change objects.")
    var write = false

    @Flag(help: "Open no browser, also where there is a desktop.")
    var noOpen = false

    @OptionGroup var key: KeyArguments

    mutating func validate() throws {
        if readOnly, write {
            throw ValidationError("--read-only and --write exclude each other.")
        }
    }

    /// The arguments of the program.
    private var arguments: [String] {
        // A directory whose name begins with a dash is no option.
        var arguments = [directory.hasPrefix("-") ? "./\(directory)" : directory]
        if let port { arguments += ["--port", String(port)] }
        if write { arguments.append("--write") }
        if noOpen { arguments.append("--no-open") }
        if let file = key.keyFile { arguments += ["--key-file", file] }
        return arguments
    }

    func run() throws {
        try Self.program.replaceProcess(with: arguments)
    }

    static let program = OtherProgram(name: "travertine-studio", package: "Studio")
}
