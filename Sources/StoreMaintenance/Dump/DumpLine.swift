import TravertineStore

/// One line of a dump, taken apart: the members of a JSON object.
///
/// Members are strings, whole numbers and booleans; nothing else occurs in a dump. Every access
/// that finds something else throws a `DumpError` with the line's number, and `finish` throws for
/// members that were not asked for.
struct DumpLine {
    /// What a member's value is.
    enum Value: Equatable {
        /// The bytes of a text, which are UTF-8.
        case string([UInt8])
        case number(UInt64)
        case boolean(Bool)
    }

    /// The number of the line, from 1.
    let number: Int
    /// The members that were not asked for yet.
    private var members: [(name: String, value: Value)]

    /// Takes a line apart, without its LF.
    init(_ text: ArraySlice<UInt8>, number: Int) throws(DumpError) {
        self.number = number
        members = try DumpLineParser.members(of: text, line: number)
        for (place, member) in members.enumerated()
        where members[..<place].contains(where: { $0.name == member.name }) {
            throw DumpError(line: number, reason: .duplicateMember(member.name))
        }
    }

    /// Whether there is a member of this name.
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    private mutating func value(_ name: String) -> Value? {
        guard let place = members.firstIndex(where: { $0.name == name }) else { return nil }
        return members.remove(at: place).value
    }

    /// A whole number that is not above a limit.
    mutating func unsigned(_ name: String, max: UInt64 = .max) throws(DumpError) -> UInt64 {
        guard let value = value(name) else { throw missing(name) }
        guard case .number(let number) = value, number <= max else {
            throw bad(name, "a whole number from 0 to \(max)")
        }
        return number
    }

    /// A number in a string of decimal digits.
    mutating func digits(_ name: String) throws(DumpError) -> UInt64 {
        guard let value = value(name) else { throw missing(name) }
        guard case .string(let bytes) = value,
            let number = UInt64(String(decoding: bytes, as: UTF8.self)),
            String(number).utf8.elementsEqual(bytes)
        else { throw bad(name, "a string of decimal digits") }
        return number
    }

    /// A checksum: a string of eight lower-case hexadecimal digits.
    mutating func checksum(_ name: String) throws(DumpError) -> UInt32 {
        guard let value = value(name) else { throw missing(name) }
        guard case .string(let bytes) = value,
            let number = UInt32(String(decoding: bytes, as: UTF8.self), radix: 16),
            DumpText.hexadecimal(number).utf8.elementsEqual(bytes)
        else { throw bad(name, "a string of eight hexadecimal digits") }
        return number
    }

    /// A boolean.
    mutating func boolean(_ name: String) throws(DumpError) -> Bool {
        guard let value = value(name) else { throw missing(name) }
        guard case .boolean(let flag) = value else { throw bad(name, "true or false") }
        return flag
    }

    /// The text of a string.
    mutating func text(_ name: String) throws(DumpError) -> String {
        guard let value = value(name) else { throw missing(name) }
        guard case .string(let bytes) = value else { throw bad(name, "a string") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bytes: a string under this name, or base64 under the name with “64” after it.
    mutating func bytes(_ name: String, byteCountMax: Int) throws(DumpError) -> [UInt8] {
        let base64Name = name + DumpFormat.Member.base64Suffix
        let bytes: [UInt8]
        switch (value(name), value(base64Name)) {
        case (.string(let text)?, nil):
            bytes = text
        case (nil, .string(let text)?):
            guard let decoded = DumpText.decodeBase64(text[...]) else {
                throw bad(base64Name, "base64")
            }
            bytes = decoded
        case (nil, nil): throw missing(name)
        case (_?, nil): throw bad(name, "a string")
        case (nil, _?): throw bad(base64Name, "a string of base64")
        case (_?, _?): throw DumpError(line: number, reason: .duplicateMember(name))
        }
        guard bytes.count <= byteCountMax else {
            throw DumpError(line: number, reason: .tooLarge(member: name, byteCount: bytes.count))
        }
        return bytes
    }

    /// Throws when the line has members that were not asked for.
    func finish() throws(DumpError) {
        guard let member = members.first else { return }
        throw DumpError(line: number, reason: .unknownMember(member.name))
    }

    private func missing(_ name: String) -> DumpError {
        DumpError(line: number, reason: .missingMember(name))
    }

    /// The error of a member whose value is not what it must be.
    func bad(_ name: String, _ expected: String) -> DumpError {
        DumpError(line: number, reason: .badValue(member: name, expected: expected))
    }
}
