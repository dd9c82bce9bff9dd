import Foundation
import StorageServers
import Synchronization
import Testing

@testable import ObjectStorage

/// Faults for the requests as they arrive, then none.
final class FaultList: Sendable {
    private let faults: Mutex<[Fault]>
    private let applies: @Sendable (ProxiedRequest) -> Bool

    /// The faults go to those requests, one to each, for which `applies`.
    init(
        _ faults: [Fault], to applies: @escaping @Sendable (ProxiedRequest) -> Bool = { _ in true }
    ) {
        self.faults = Mutex(faults)
        self.applies = applies
    }

    func next(_ request: ProxiedRequest) -> Fault {
        guard applies(request) else { return .none }
        return faults.withLock { $0.isEmpty ? Fault.none : $0.removeFirst() }
    }
}

let testCredentials = StorageCredentials(
    accessKeyID: "AKIDTEST", secretAccessKey: "secret/of+tests")

extension ObjectStoreOptions {
    /// Pauses take no time; limits of the network are short, yet far longer than a busy machine
    /// needs.
    static func test(clock: ImmediateClock = ImmediateClock()) -> ObjectStoreOptions {
        var options = ObjectStoreOptions()
        options.clock = clock
        options.idleTimeout = .seconds(60)
        return options
    }
}

/// Runs a test with a store whose requests go through a proxy.
///
/// - Parameters:
///   - moto: Whether the proxy passes requests on to a server, with a new bucket.
func withStore(
    moto: Bool = true, prefix: String = "", options: ObjectStoreOptions = .test(),
    script: @escaping FaultProxy.Script = { _ in .none },
    test: (ObjectStore, FaultProxy) async throws -> Void
) async throws {
    let server = moto ? try #require(await MotoServer.shared(), "moto did not start") : nil
    let bucket = try await server?.makeBucket() ?? "bucket"
    let proxy = try await FaultProxy(upstream: server?.port, script: script)
    let location = try ObjectLocation(
        bucket: bucket, prefix: prefix, endpoint: "http://127.0.0.1:\(proxy.port)",
        region: "eu-central-1")
    let store = try ObjectStore(location, options: options) { testCredentials }
    do {
        try await test(store, proxy)
    } catch {
        await store.close()
        await proxy.stop()
        throw error
    }
    await store.close()
    await proxy.stop()
}

/// Runs a test with a store all of whose requests have the same answer.
func withStore(
    answering fault: Fault, prefix: String = "", options: ObjectStoreOptions = .test(),
    test: (ObjectStore, FaultProxy) async throws -> Void
) async throws {
    try await withStore(
        moto: false, prefix: prefix, options: options, script: { _ in fault }, test: test)
}

/// Bytes that a seed determines.
func randomBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes = [UInt8]()
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        withUnsafeBytes(of: generator.next()) { bytes += $0 }
    }
    return Array(bytes.prefix(count))
}
