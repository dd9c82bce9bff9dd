/// A member of an object whose text is kept as it was written, without a tree of its values.
///
/// The text of a number stays as it is: a key `9007199254740993` does not pass through a `Double`.
public struct JSONMember: Sendable {
    /// The most levels of arrays and objects in a member.
    public static let depthMax = 511

    /// The name.
    public let name: String
    /// The bytes of the value.
    public let value: Range<Int>

    /// The members of the one object that bytes are, in order, with names that come twice.
    ///
    /// Values are checked by their grammar alone.
    public static func members(of text: [UInt8]) throws(JSONFailure) -> [JSONMember] {
        try text.withUnsafeBytes { bytes in
            Result { () throws(JSONFailure) in try members(of: bytes) }
        }.get()
    }

    private static func members(
        of bytes: UnsafeRawBufferPointer
    ) throws(JSONFailure) -> [JSONMember] {
        var scanner = JSONScanner(bytes)
        scanner.skipSpace()
        guard scanner.byte == UInt8(ascii: "{") else {
            throw scanner.failure("an object expected, \(scanner.found) found")
        }
        var members: [JSONMember] = []
        var elements = scanner.open()
        while try scanner.hasNext(&elements) {
            let name = try scanner.name()
            scanner.skipSpace()
            let start = scanner.offset
            try scanner.skipValue(depthMax: depthMax)
            members.append(JSONMember(name: name, value: start..<scanner.offset))
        }
        try scanner.requireEnd()
        return members
    }

    /// The text of the value, which is one in quotes, without them and its escapes.
    ///
    /// - Parameter text: the bytes that the member is of.
    public func string(in text: [UInt8]) throws(JSONFailure) -> [UInt8] {
        try text.withUnsafeBytes { bytes in
            Result { () throws(JSONFailure) in
                var scanner = JSONScanner(bytes)
                scanner.offset = value.lowerBound
                return try scanner.textBytes()
            }
        }.get()
    }
}
