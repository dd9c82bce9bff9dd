import ArgumentParser
import TravertineStore

/// `travertine get`: prints one value.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a key.",
        discussion: """
            The bytes of the value are written to standard output as they are, with a line end after them \
            on a terminal only. The value's checksum is verified. Of a store that a program has \
            open, what is durable is shown.

              travertine get places.store 2950159
              travertine get places.store --hex 000000000000002a | xxd

            Statuses: 0 printed; 1 there is no such key (nothing is printed); 64 wrong arguments; \
            65 the value is damaged; 66 no such store or keyspace; 74 reading failed; 77 permission \
            denied.
            """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The key.") var key: String
    @Flag(help: "The key is given, and the value printed, in hexadecimal digits.") var hex = false
    @Flag(help: "Print a JSON object with key and value.") var json = false

    mutating func validate() throws { _ = try ByteText.bytes(of: key, isHex: hex) }

    func run() throws {
        let bytes = try ByteText.bytes(of: key, isHex: hex)
        let (value, isEmpty) = try store.withSnapshot {
            (try $0.get(bytes, in: $1), try $0.count(in: $1) == 0)
        }
        guard let value else {
            if isEmpty { try store.noteObjects(in: store.directory) }
            throw CommandError(
                ExitStatus.keyNotFound, "no such key: \(ByteText.shown(bytes, isHex: hex))")
        }
        var output = OutputWriter()
        if json {
            output.writeLine(EntryText.json(key: bytes, value: value, isHex: hex))
        } else if hex {
            output.writeLine(ByteText.hex(value))
        } else {
            output.write(value)
            if output.isTerminal { output.writeLine("") }
        }
        output.flush()
    }
}
