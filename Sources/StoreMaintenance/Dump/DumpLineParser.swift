import TravertineJSON

/// Parses the one JSON object of a line; never traps, whatever the bytes are.
struct DumpLineParser {
    private var scanner: JSONScanner

    /// More members than any line has; bounds the work on hostile input.
    private static let memberCountMax = 16

    /// The members of the object that a line is, in order.
    static func members(
        of text: ArraySlice<UInt8>, line: Int
    ) throws(DumpError) -> [(name: String, value: DumpLine.Value)] {
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(JSONFailure) in
                var parser = DumpLineParser(scanner: JSONScanner(bytes))
                return try parser.members()
            }
        }
        switch result {
        case .success(let members): return members
        case .failure(let failure):
            throw DumpError(
                line: line, reason: .syntax(failure.reason, column: failure.offset + 1))
        }
    }

    private mutating func members() throws(JSONFailure) -> [(name: String, value: DumpLine.Value)] {
        guard case .object = try scanner.beginning() else {
            throw scanner.failure("an object expected")
        }
        var members: [(name: String, value: DumpLine.Value)] = []
        var rest = scanner.open()
        while try scanner.hasNext(&rest) {
            let place = scanner.offset
            let name = try scanner.name()
            members.append((name, try value()))
            guard members.count <= Self.memberCountMax else {
                throw scanner.failure("there are too many members", at: place)
            }
        }
        try scanner.requireEnd()
        return members
    }

    private mutating func value() throws(JSONFailure) -> DumpLine.Value {
        scanner.skipSpace()
        let place = scanner.offset
        switch try scanner.beginning() {
        case .text: return .string(try scanner.textBytes())
        case .number: return .number(try scanner.wholeNumber())
        case .bool(let flag): return .boolean(flag)
        case .null, .object, .array:
            throw scanner.failure("a text, a whole number, true or false expected", at: place)
        }
    }
}
