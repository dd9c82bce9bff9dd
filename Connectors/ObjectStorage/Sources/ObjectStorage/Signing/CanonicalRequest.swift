/// A request in the one spelling that both sides hash, as Signature Version 4 defines it for S3:
///
///     method \n path \n query \n (name:value \n)* \n signed names \n hash of the body
///
/// The path is percent-encoded once, segment by segment, and never normalised.
struct CanonicalRequest {
    var method: String
    /// Percent-encoded, beginning with a slash.
    var path: String
    /// Names and values as they are, not encoded.
    var query: [(name: String, value: String)] = []
    /// All are signed, `host` among them. Names in lower case.
    var headers: [(name: String, value: String)]
    /// The SHA-256 of the body as lower-case hexadecimal digits.
    var payloadHash: String

    /// The names of all headers in order, separated by semicolons.
    var signedHeaders: String {
        sortedHeaders.map(\.name).joined(separator: ";")
    }

    /// The query sorted by encoded name, then by encoded value. It is also what is sent.
    var queryText: String {
        query.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// The text to hash.
    var text: String {
        let lines = sortedHeaders.map { "\($0.name):\(Self.trimmed($0.value))\n" }
        return [method, path, queryText, lines.joined(), signedHeaders, payloadHash]
            .joined(separator: "\n")
    }

    private var sortedHeaders: [(name: String, value: String)] {
        headers.sorted { $0.name < $1.name }
    }

    /// The value without blanks at its ends, and with one space for each run of them inside.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}
