@testable import StoreMaintenance
@testable import TravertineStore

/// Inputs that are dumps.
enum DumpInput {
    /// Puts the right checksum and counts into the last line's place, loads, dumps, and loads
    /// again.
    static func run(_ input: [UInt8]) throws {
        let machine = InputMachine()
        let summary = try load(sealed(input), at: "/loaded", machine)
        let store = try Store.open(at: "/loaded", options: machine.options())
        let text = try dump(store)
        try store.close()
        let again = try load(text, at: "/again", machine)
        if again.recordCount != summary.recordCount {
            StoreUse.fail("a load of a dump of a load has other records")
        }
    }

    private static func load(
        _ text: [UInt8], at path: String, _ machine: InputMachine
    ) throws -> DumpSummary {
        var position = 0
        return try Store.load(at: path, options: machine.options()) { buffer in
            let count = min(buffer.count, text.count - position)
            buffer.copyBytes(from: text[position..<position + count])
            position += count
            return count
        }
    }

    private static func dump(_ store: Store) throws -> [UInt8] {
        var text: [UInt8] = []
        try store.snapshot().dump { text.append(contentsOf: $0) }
        return text
    }

    /// The text with the checksum that its end line should have.
    private static func sealed(_ input: [UInt8]) -> [UInt8] {
        let name = Array(#""crc32c":""#.utf8)
        guard let end = input.dropLast().lastIndex(of: UInt8(ascii: "\n")),
            let place = input[end...].indices.first(where: { input[$0...].starts(with: name) }),
            place + name.count + 8 <= input.count
        else { return input }
        let sum = Sealing(Array(input[...end])).sum(0..<end + 1)
        let digits = Array(String(sum, radix: 16).utf8)
        var text = input
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 8 - digits.count)
        let start = place + name.count
        text.replaceSubrange(start..<start + 8, with: zeros + digits)
        return text
    }

    static func seeds() throws -> [[UInt8]] {
        try [(1, 2), (3, 6)].map { rounds, keyCount in
            let machine = InputMachine(try StoreUse.sample(rounds: rounds, keyCount: keyCount))
            let store = try Store.open(at: InputMachine.path, options: machine.options())
            defer { try? store.close() }
            return try dump(store)
        }
    }
}
