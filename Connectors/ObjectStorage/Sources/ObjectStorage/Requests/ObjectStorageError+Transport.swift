import AsyncHTTPClient
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ObjectStorageError {
    /// The error of this type for one of the HTTP client or the connection.
    init(transportError error: any Error) {
        switch error {
        case let error as ObjectStorageError: self = error
        case let error as HTTPClientError: self = Self.clientError(error)
        case let error as NIOConnectionError: self = .unreachable(Self.reason(error))
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            self = .unreachable("\(error)")
        case ChannelError.connectTimeout: self = .timedOut(.connecting)
        default: self = .connectionLost("\(error)")
        }
    }

    private static func clientError(_ error: HTTPClientError) -> ObjectStorageError {
        switch error {
        case .alreadyShutdown: .closed
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            .timedOut(.connecting)
        case .readTimeout, .writeTimeout: .timedOut(.idle)
        case .deadlineExceeded: .timedOut(.total)
        default: .connectionLost(error.shortDescription)
        }
    }

    private static func reason(_ error: NIOConnectionError) -> String {
        let reasons = error.connectionErrors.map { "\($0.error)" }
        if reasons.isEmpty { return "the name \(error.host) is not known" }
        return reasons.joined(separator: ", ")
    }
}
