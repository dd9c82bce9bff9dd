import ArgumentParser
import Foundation
import TravertineStore

/// `travertine put`: stores one value.
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Store a value under a key.",
        discussion: """
            The store and the keyspace are made if they are missing. The change is durable when \
            the command ends. Without VALUE, the value is what standard input gives.

              travertine put notes.store greeting "Hello"
              travertine put notes.store photo < photo.jpeg

            Statuses: 0 stored, durably; 64 wrong arguments; 65 the key or value is too large, or \
            the keyspace belongs to objects; 66 the directory is no store; 74 writing failed; 75 \
            another process has the store open; 77 permission denied.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The key.") var key: String
    @Argument(help: "The value. (default: standard input)") var value: String?
    @Flag(help: "Key and value are given in hexadecimal digits.") var hex = false

    mutating func validate() throws {
        _ = try ByteText.bytes(of: key, isHex: hex)
        if let value { _ = try ByteText.bytes(of: value, isHex: hex) }
    }

    private func valueFromStandardInput() throws -> [UInt8] {
        if isatty(STDIN_FILENO) == 1 {
            printNote("The value of “\(key)” is read from here; control-D ends it.")
        }
        return Array(try FileHandle.standardInput.readToEnd() ?? Data())
    }

    func run() throws {
        let key = try ByteText.bytes(of: key, isHex: hex)
        let value =
            if let value {
                try ByteText.bytes(of: value, isHex: hex)
            } else {
                try valueFromStandardInput()
            }
        try StoreArguments.withStore(at: store.directory, createIfMissing: true) { opened in
            let keyspace = try store.keyspaceForWriting(in: opened)
            try opened.write { try $0.put(value, forKey: key, in: keyspace) }
        }
    }
}
