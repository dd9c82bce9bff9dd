import ArgumentParser
import TravertineStore

/// `travertine delete`: deletes one key.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a key.",
        discussion: """
            The change is durable when the command ends.

              travertine delete notes.store greeting

            Statuses: 0 deleted, durably; 1 there was no such key; 64 wrong arguments; 65 the \
            keyspace belongs to objects; 66 no such store or keyspace; 74 writing failed; 75 \
            another process has the store open; 77 permission denied.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The key.") var key: String
    @Flag(help: "The key is given in hexadecimal digits.") var hex = false

    mutating func validate() throws { _ = try ByteText.bytes(of: key, isHex: hex) }

    func run() throws {
        let bytes = try ByteText.bytes(of: key, isHex: hex)
        let wasThere = try store.withStore { opened in
            let keyspace = try store.keyspaceForWriting(in: opened, createIfMissing: false)
            return try opened.write { try $0.delete(bytes, in: keyspace) }
        }
        guard wasThere else {
            throw CommandError(
                ExitStatus.keyNotFound, "no such key: \(ByteText.shown(bytes, isHex: hex))")
        }
    }
}
