/// Reads the words of JSON from bytes that may hold anything.
///
/// It follows RFC 8259 to the letter: no comments, no trailing commas, no unpaired surrogates, no
/// bytes that are not UTF-8. Unsafe by subject: it reads from a buffer without copying, and so does
/// `plainText()`. Invariant: `offset` never exceeds the buffer's count, and every byte is read
/// through `byte`, which checks, or below a bound that was checked.
///
/// All of it is public, so that it is inlined into other modules, which is a third of the time here.
/// The module is no product.
///
/// After an error, `offset` is the buffer's count if the text was right as far as it goes.
public struct JSONScanner {
    /// What is read.
    public let bytes: UnsafeRawBufferPointer
    /// The bytes that were read.
    public var offset = 0

    /// A scanner at the first of the bytes, which must outlive it.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next byte; nil at the end.
    @inlinable @inline(__always)
    public var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// An error at the next byte, or at another place.
    public func failure(_ reason: String, at offset: Int? = nil) -> JSONFailure {
        JSONFailure(reason, offset: offset ?? self.offset)
    }

    /// Skips spaces, tabs and line ends.
    @inlinable @inline(__always)
    public mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    /// Takes a byte if it comes next, after any space.
    @inlinable @inline(__always)
    public mutating func take(_ expected: UInt8) -> Bool {
        skipSpace()
        guard byte == expected else { return false }
        offset += 1
        return true
    }

    /// Takes a byte that must come next, after any space.
    @inlinable @inline(__always)
    public mutating func require(
        _ expected: UInt8, _ place: StaticString
    ) throws(JSONFailure) {
        if !take(expected) { throw missing(expected, place) }
    }

    @usableFromInline
    func missing(_ expected: UInt8, _ place: StaticString) -> JSONFailure {
        failure("\(Self.quoted(expected)) expected \(place), \(found) found")
    }

    /// The next byte as an error names it.
    var found: String { byte.map(Self.quoted) ?? "the end" }

    static func quoted(_ byte: UInt8) -> String { "\"\(Character(UnicodeScalar(byte)))\"" }

    /// Requires that nothing but space follows.
    public mutating func requireEnd() throws(JSONFailure) {
        skipSpace()
        if byte != nil { throw failure("text after the value") }
    }

    /// Takes "null", "true" or "false".
    public mutating func word(_ word: StaticString) throws(JSONFailure) {
        let start = offset
        for index in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[index] else {
                throw failure("\"\(word)\" expected", at: start)
            }
            offset += 1
        }
    }
}
