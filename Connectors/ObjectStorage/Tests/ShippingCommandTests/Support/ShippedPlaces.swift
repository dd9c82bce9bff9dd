import StorageServers
import Testing
import TravertineStore

/// Runs a test with a small store, `store` in a directory, and the location of a backup that is
/// not there yet, in a new bucket of moto.
///
/// - Parameter script: What a proxy does with each request, through which it is reached; nil for
///   none.
func withPlaces(
    through script: FaultProxy.Script? = nil,
    _ test: (_ directory: String, _ location: String) async throws -> Void
) async throws {
    let server = try #require(await MotoServer.shared())
    let bucket = try await server.makeBucket()
    var proxy: FaultProxy?
    if let script { proxy = try await FaultProxy(upstream: server.port, script: script) }
    let port = proxy?.port ?? server.port
    try await withTemporaryDirectory { directory in
        let store = try Store.open(at: directory + "/store")
        try store.write { try $0.put("Lisbon", forKey: "PT") }
        try store.close()
        try await test(
            directory, "s3://\(bucket)/places?endpoint=http://127.0.0.1:\(port)&region=eu-central-1"
        )
    }
    await proxy?.stop()
}
