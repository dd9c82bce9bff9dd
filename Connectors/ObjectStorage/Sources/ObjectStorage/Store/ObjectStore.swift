import AsyncHTTPClient
import NIOHTTP1

/// A prefix of an S3 bucket: puts, reads, lists and deletes objects.
///
/// Keys are relative to the location's prefix. Each operation is tried again after failures that
/// may be temporary, within the limits of the options, and throws `ObjectStorageError`, or
/// `CancellationError` as soon as its task is cancelled. What is sent and what is received is
/// checked: by SHA-256 where the service has one, by length always.
///
/// All operations may run at the same time, on any task. Call `close` at the end, or use
/// `withObjectStore`: the connections of a store that is dropped end a little later.
public final class ObjectStore: Sendable {
    /// Where the objects are, with region and endpoint as they are used.
    public let location: ObjectLocation
    let endpoint: StorageEndpoint
    let options: ObjectStoreOptions
    private let transport: HTTPTransport
    private let credentials: CredentialsCache

    /// Opens a location with credentials, region and endpoint from the environment and the files
    /// of AWS, where the location does not name them. Throws `StorageConfigurationError`. Reads
    /// files, and connects to nothing.
    public convenience init(
        _ location: ObjectLocation, environment: StorageEnvironment = .current,
        options: ObjectStoreOptions = ObjectStoreOptions()
    ) throws {
        let resolved = try ObjectLocation(
            bucket: location.bucket, prefix: location.prefix,
            endpoint: location.endpoint ?? environment.endpoint(),
            region: location.region ?? environment.region())
        try self.init(
            resolved, options: options, credentials: { try environment.credentials() })
    }

    /// Opens a location with credentials from a function.
    ///
    /// The function is called at once, and again when the service says that the credentials have
    /// expired. Throws `StorageConfigurationError`, and what the function throws.
    public init(
        _ location: ObjectLocation, options: ObjectStoreOptions = ObjectStoreOptions(),
        credentials: @escaping @Sendable () throws -> StorageCredentials
    ) throws {
        self.location = location
        self.options = options
        endpoint = try StorageEndpoint(
            bucket: location.bucket, endpoint: location.endpoint, region: location.region,
            allowInsecure: options.allowInsecure)
        self.credentials = try CredentialsCache(credentials)
        transport = HTTPTransport(endpoint: endpoint, bucket: location.bucket, options: options)
    }

    /// The time of day by the service's clock, in seconds since 1970, as its newest answer said it;
    /// nil if none did.
    public var serviceSecondsSince1970: Int64? { transport.serviceSecondsSince1970 }

    /// Closes all connections. Operations under way fail; later ones throw
    /// `ObjectStorageError.closed`. May be called twice.
    public func close() async { await transport.close() }

    // MARK: Requests

    /// The whole key for a relative one. Throws `ObjectStorageError.invalidArgument`.
    func wholeKey(_ key: String) throws -> String {
        let whole = location.prefix + key
        let reason = key.isEmpty ? "is empty" : ObjectKey.objection(to: whole)
        if let reason { throw ObjectStorageError.invalidArgument("the key '\(key)' \(reason)") }
        return whole
    }

    /// The key without the store's prefix. By bytes: a character may span the two.
    func relativeKey(_ wholeKey: String) -> String {
        String(decoding: wholeKey.utf8.dropFirst(location.prefix.utf8.count), as: UTF8.self)
    }

    /// Sends a request once, and a second time if the credentials had to be renewed.
    func send<Result: Sendable>(
        _ request: StorageRequest, key: String?, within remaining: Duration,
        receive: @escaping @Sendable (HTTPClientResponse, Activity) async throws -> Result
    ) async throws -> Result {
        let used = credentials.credentials
        do {
            return try await transport.send(
                request, key: key, credentials: used, within: remaining, receive: receive)
        } catch ObjectStorageError.accessDenied(let answer) where answer.concernsCredentials {
            guard let renewed = try credentials.renewed(after: used) else {
                throw ObjectStorageError.accessDenied(answer)
            }
            return try await transport.send(
                request, key: key, credentials: renewed, within: remaining, receive: receive)
        }
    }

    /// Sends a request until it succeeds or no attempt is left.
    func sendRepeatedly<Result: Sendable>(
        _ request: StorageRequest, key: String?,
        receive: @escaping @Sendable (HTTPClientResponse, Activity) async throws -> Result
    ) async throws -> Result {
        var attempts = Attempts(options)
        while true {
            do {
                return try await send(
                    request, key: key, within: attempts.remaining, receive: receive)
            } catch {
                try await attempts.pause(after: error)
            }
        }
    }
}

/// Opens an object store for the duration of `body`, and closes it.
///
/// Throws `StorageConfigurationError`, and what `body` throws.
public func withObjectStore<Result>(
    _ location: ObjectLocation, environment: StorageEnvironment = .current,
    options: ObjectStoreOptions = ObjectStoreOptions(),
    isolation: isolated (any Actor)? = #isolation,
    body: (ObjectStore) async throws -> Result
) async throws -> Result {
    let store = try ObjectStore(location, environment: environment, options: options)
    do {
        let result = try await body(store)
        await store.close()
        return result
    } catch {
        await store.close()
        throw error
    }
}
