/// What is answered to a request.
struct Response: Sendable {
    /// The bytes, pieces that are each sent when they are there, or events until one side closes
    /// the connection.
    enum Body: Sendable {
        case bytes([UInt8])
        case pieces(PieceStream)
        case events(AsyncStream<[UInt8]>)
    }

    var status: Int
    var contentType: String?
    /// Fields beside those that every response has.
    var fields: [(name: String, value: String)] = []
    var body = Body.bytes([])

    /// An answer without a body.
    init(_ status: Int) { self.status = status }

    init(_ status: Int = 200, _ contentType: String, _ bytes: [UInt8]) {
        self.status = status
        self.contentType = contentType
        body = .bytes(bytes)
    }

    init(_ value: JSON, status: Int = 200) {
        self.init(status, "application/json; charset=utf-8", value.bytes)
    }

    init(_ failure: RequestFailure) {
        var members = [("error", JSON.string(failure.message))]
        if let detail = failure.detail { members.append(("detail", .string(detail))) }
        if failure.isOutcomeUnknown { members.append(("isOutcomeUnknown", .bool(true))) }
        self.init(.object(members), status: failure.status)
    }

    /// A file that the browser saves.
    init(file name: String, _ contentType: String, _ pieces: PieceStream) {
        status = 200
        self.contentType = contentType
        fields = [("Content-Disposition", "attachment; filename=\"\(name)\"")]
        body = .pieces(pieces)
    }

    init(events: AsyncStream<[UInt8]>) {
        status = 200
        contentType = "text/event-stream"
        body = .events(events)
    }

    /// What a page may do that comes from here: load scripts, styles and pictures from here, and
    /// connect to here. Nothing is kept by the browser.
    private static let safety = """
        Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
        img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'\r
        X-Content-Type-Options: nosniff\r
        X-Frame-Options: DENY\r
        Referrer-Policy: no-referrer\r
        Cross-Origin-Opener-Policy: same-origin\r
        Cross-Origin-Resource-Policy: same-origin\r
        Permissions-Policy: camera=(), geolocation=(), microphone=()\r
        Cache-Control: no-store\r

        """

    /// The status line and the fields, with the empty line.
    func head(closing: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n" + Self.safety
        if let contentType { text += "Content-Type: \(contentType)\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        if case .bytes(let bytes) = body, status != 204 {
            text += "Content-Length: \(bytes.count)\r\n"
        }
        if case .pieces = body { text += "Transfer-Encoding: chunked\r\n" }
        text += closing ? "Connection: close\r\n\r\n" : "\r\n"
        return Array(text.utf8)
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: "Status"
        }
    }
}
