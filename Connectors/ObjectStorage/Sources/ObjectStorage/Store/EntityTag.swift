/// The service's name for one state of an object: `ETag` without its quotes.
///
/// It changes with the content. It is not a checksum that a client can compute in all cases.
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// The tag without quotes.
    public let value: String

    /// A tag without quotes: visible ASCII characters, none of them a quote.
    public init?(_ value: String) {
        let isValid =
            !value.isEmpty
            && value.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"")
            }
        guard isValid else { return nil }
        self.value = value
    }

    /// A tag as headers and listings have it, with quotes or, from some services, without.
    init?(headerValue: String) {
        let isQuoted =
            headerValue.count >= 2 && headerValue.hasPrefix("\"") && headerValue.hasSuffix("\"")
        self.init(isQuoted ? String(headerValue.dropFirst().dropLast()) : headerValue)
    }

    /// The tag in quotes.
    var headerValue: String { "\"\(value)\"" }

    /// The tag without quotes.
    public var description: String { value }
}
