/// What the command line says.
struct StudioOptions {
    var directory: String
    var port: UInt16 = 0
    var isWritable = false
    var opensBrowser = true
    var keyFile: String?

    static let usage = """
        usage: travertine-studio STORE [--port PORT] [--read-only | --write] [--no-open]
                                [--key-file FILE]

        Shows a realm in a browser: its types, objects, schema and space, live. The address that it
        prints has a key; without it nobody on this machine sees the realm. Control-C ends it.

          STORE         the directory of the realm
          --port PORT   the port on 127.0.0.1 (default: any that is free)
          --read-only   changes nothing, and works beside a program that has the realm open (default)
          --write       objects can be changed; no other program can have the realm open for writing
          --no-open     does not open a browser, also where there is a desktop
          --key-file FILE  the key of an encrypted realm: 64 bytes, or the same as 128 hexadecimal
                        digits or Base64; without it TRAVERTINE_KEY has the key, if there is one
          --version     prints the version
          --help        prints this

        Statuses: 130 ended by control-C; 64 wrong arguments; 65 no key in the file; 66 no such realm or
        key file; 69 the port is taken or refused; 74 reading failed; 75 another program has the realm
        open for writing; 77 not the key of the realm, or permission denied.
        """

    /// Wrong arguments.
    struct UsageError: Error {
        var message: String
    }

    /// What else may be asked for.
    enum Wish: Error {
        case help
        case version
    }

    init(_ arguments: some Sequence<String>) throws {
        var directory: String?
        var isReadOnly = false
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "--help", "-h": throw Wish.help
            case "--version": throw Wish.version
            case "--read-only": isReadOnly = true
            case "--write": isWritable = true
            case "--no-open": opensBrowser = false
            case "--key-file":
                guard let path = iterator.next() else {
                    throw UsageError(message: "--key-file takes the path of a file")
                }
                keyFile = path
            case "--port":
                guard let text = iterator.next(), let port = UInt16(text) else {
                    throw UsageError(message: "--port takes a number up to 65535")
                }
                self.port = port
            default:
                guard !argument.hasPrefix("-") else {
                    throw UsageError(message: "unknown option \(argument)")
                }
                guard directory == nil else {
                    throw UsageError(message: "only one realm can be shown: \(argument)")
                }
                directory = argument
            }
        }
        guard !(isReadOnly && isWritable) else {
            throw UsageError(message: "--read-only and --write exclude each other")
        }
        guard let directory else {
            throw UsageError(message: "the directory of a realm is missing")
        }
        self.directory = directory
    }
}
