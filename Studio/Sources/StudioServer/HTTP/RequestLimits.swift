/// What one connection may cost.
struct RequestLimits: Sendable {
    /// Bytes of the request line and all header fields.
    var headByteCount = 16 << 10
    /// Header fields of one request.
    var fieldCount = 64
    /// Bytes of a body.
    var bodyByteCount = 1 << 20
    /// How long a connection may be idle between two requests.
    var idleTime = Duration.seconds(75)
    /// How long a request may take from its first byte to its last.
    var requestTime = Duration.seconds(10)
    /// How long a client may take to accept a response, or one event.
    var responseTime = Duration.seconds(20)
    /// Connections that are served at the same time.
    var connectionCount = 64
}
