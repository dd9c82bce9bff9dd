/// An HTTP request that was read as a whole.
struct Request: Sendable {
    /// The method, as it was sent: `GET`.
    var method: String
    /// The path, before any decoding.
    var path: String
    /// The decoded parameters after the question mark; of a name that occurs twice the last one.
    var query: [String: String]
    /// Header fields by their lowercased names.
    var fields: [String: String]
    /// The body; empty if there is none.
    var body: [UInt8]
    /// Whether the client wants to send another request on the connection.
    var keepsAlive: Bool

    /// The value of a cookie; nil if the request has none of this name.
    func cookie(_ name: String) -> String? {
        for pair in (fields["cookie"] ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            if parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
        }
        return nil
    }
}

/// Why a request is not answered as it wished: a status, and a sentence for the user.
struct RequestFailure: Error, Sendable {
    var status: Int
    var message: String
    /// The place of the mistake, as text with a caret, where there is one.
    var detail: String?
    /// Whether it is not known if what was asked for was done. Else nothing was done.
    var isOutcomeUnknown = false

    init(_ status: Int, _ message: String, detail: String? = nil) {
        self.status = status
        self.message = message
        self.detail = detail
    }

    static let timedOut = RequestFailure(
        408, "The request did not arrive in time; send it as a whole.")
}
