import ArgumentParser
import TravertineStore

/// `travertine scan`: prints keys and values in order.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Print keys and values in the order of the keys.",
        discussion: """
            A line is the key, a tab, and the value; what can't be shown is written \\n, \\t, \
            \\\\ or \\xNN. With --json a line is {"key": …, "value": …}; bytes that are not UTF-8 \
            are in "keyHex" and "valueHex" instead. Of a store that a program has open, what is \
            durable is shown.

              travertine scan places.store --prefix DE/ --limit 20
              travertine scan places.store --from 1000 --to 2000 --keys-only
              travertine scan places.store --reverse --limit 1

            Statuses: 0 done; 64 wrong arguments; 65 a value is damaged; 66 no such store or \
            keyspace; 74 reading failed; 77 permission denied.
            """)

    @OptionGroup var store: StoreArguments
    @Option(help: "Only keys that begin with this.") var prefix: String?
    @Option(help: "Begin with this key, or the first one after it.") var from: String?
    @Option(help: "End before this key.") var to: String?
    @Option(name: [.customShort("n"), .long], help: "At most this many keys.") var limit: Int?
    @Flag(help: "From the last key to the first.") var reverse = false
    @Flag(help: "Leave out the values.") var keysOnly = false
    @Flag(help: "Print JSON objects, one a line.") var json = false
    @Flag(help: "Keys are given, keys and values printed, in hexadecimal digits.") var hex = false

    mutating func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        for text in [prefix, from, to] {
            if let text { _ = try ByteText.bytes(of: text, isHex: hex) }
        }
    }

    func run() throws {
        let range = try KeyRange(
            prefix: prefix.map { try ByteText.bytes(of: $0, isHex: hex) },
            from: from.map { try ByteText.bytes(of: $0, isHex: hex) },
            to: to.map { try ByteText.bytes(of: $0, isHex: hex) })
        let isEmpty = try store.withSnapshot { snapshot, keyspace in
            let cursor = try snapshot.cursor(in: keyspace)
            var output = OutputWriter()
            // What was found before a damaged value is still printed.
            defer { output.flush() }
            try scan(range, cursor, &output)
            return try snapshot.count(in: keyspace) == 0
        }
        if isEmpty { try store.noteObjects(in: store.directory) }
    }

    private func scan(_ range: KeyRange, _ cursor: Cursor, _ output: inout OutputWriter) throws {
        var rest = limit ?? .max
        var isValid = try reverse ? range.seekToLast(cursor) : range.seekToFirst(cursor)
        while isValid, rest > 0 {
            let key = cursor.key
            guard range.contains(key) else { return }
            let value = keysOnly ? nil : try cursor.value
            if json {
                output.writeLine(EntryText.json(key: key, value: value, isHex: hex))
            } else {
                output.writeLine(EntryText.line(key: key, value: value, isHex: hex))
            }
            rest -= 1
            isValid = try reverse ? cursor.previous() : cursor.next()
        }
    }
}
