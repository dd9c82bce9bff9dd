/// What the service said in an answer that is not a success.
public struct ServiceAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The service's name for the error, such as `SlowDown`; empty where the answer has none.
    public var code: String
    /// The service's text; empty where the answer has none.
    public var message: String
    /// The identifier that the service's support asks for; empty where the answer has none.
    public var requestID: String
    /// The region that the service expects; nil where the answer names none.
    public var region: String?
    /// The pause that the service asks for, in seconds.
    public var retryAfterSeconds: Int?

    /// An answer with these parts.
    public init(
        status: Int, code: String = "", message: String = "", requestID: String = "",
        region: String? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.requestID = requestID
        self.region = region
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Whether the same request may succeed a little later.
    var isTransient: Bool {
        if [500, 502, 503, 504, 429].contains(status) { return true }
        // A body that did not arrive in time, one that was changed on its way, and two operations
        // on one key at the same time.
        return ["RequestTimeout", "BadDigest", "ConditionalRequestConflict", "OperationAborted"]
            .contains(code)
    }

    /// Whether the service asks for fewer requests.
    var isThrottling: Bool {
        status == 429 || status == 503
            || ["SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded"]
                .contains(code)
    }

    /// Whether new credentials may help: the answer names them, or, to HEAD, names nothing.
    var concernsCredentials: Bool {
        if code.isEmpty { return status == 400 || status == 403 }
        return ["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"]
            .contains(code)
    }
}

extension ServiceAnswer: CustomStringConvertible {
    /// One line: code, status, text and request.
    public var description: String {
        let name = code.isEmpty ? "status \(status)" : "\(code) (status \(status))"
        let text = message.isEmpty ? "" : ": \(message)"
        let request = requestID.isEmpty ? "" : " [request \(requestID)]"
        return name + text + request
    }
}

/// An object that a deletion of many objects left in place.
public struct UndeletedObject: Hashable, Sendable, CustomStringConvertible {
    /// The object's key, relative to the store's prefix.
    public var key: String
    /// The service's name for the error.
    public var code: String
    /// The service's text.
    public var message: String

    /// One line: which object and why.
    public var description: String { "'\(key)': \(code) \(message)" }
}
