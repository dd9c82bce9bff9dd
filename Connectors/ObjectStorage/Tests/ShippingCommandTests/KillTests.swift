import Foundation
import NIOHTTP1
import StorageServers
import Synchronization
import Testing

/// Real processes: a program that writes, the shipper, and an S3 server that is reached through a
/// proxy that fails.
@Suite("Processes that are killed", .enabled(Python.absence, Python.isAvailable), .serialized)
struct KillTests {
    /// How the proxy treats requests: at random, and it kills the shipper at one of them.
    private final class Mischief: Sendable {
        private struct State {
            var generator: SystemRandomNumberGenerator
            var countdown = Int.max
            var victim: Int32 = 0
        }

        private let state = Mutex(State(generator: SystemRandomNumberGenerator()))

        /// Kills a process at one of its next requests.
        func kill(_ process: Int32, within count: Int) {
            state.withLock { state in
                state.victim = process
                state.countdown = Int.random(in: 1...count)
            }
        }

        func fault(_ request: ProxiedRequest) -> Fault {
            state.withLock { state in
                state.countdown -= 1
                if state.countdown == 0 {
                    _ = Foundation.kill(state.victim, SIGKILL)
                    state.countdown = .max
                    return Bool.random() ? .close : .none
                }
                switch Int.random(in: 0..<100) {
                case 0..<2: return .status(500)
                case 2..<4: return .close
                case 4..<6: return .loseAnswer
                case 6..<7: return request.method == .GET ? .truncate(10) : .status(503)
                default: return .none
                }
            }
        }
    }

    @Test("A shipper that is killed again and again never leaves a backup that can't be restored")
    func shipper() async throws {
        let killCount = environmentNumber("TRAVERTINE_SHIP_KILLS") ?? 8
        let server = try #require(await MotoServer.shared())
        let bucket = try await server.makeBucket()
        let mischief = Mischief()
        let proxy = try await FaultProxy(upstream: server.port) { mischief.fault($0) }
        try await withTemporaryDirectory { directory in
            let location =
                "s3://\(bucket)/backup?endpoint=http://127.0.0.1:\(proxy.port)&region=eu-central-1"
            let store = directory + "/store"
            let writer = try Program("shipping-writer", [store, "1", "2"])
            #expect(await writer.wait { $0.count > 20 })
            var newest = 0
            for kill in 1...killCount {
                let acknowledged = writer.lines.count
                let shipper = try Program(
                    "travertine-ship", ["ship", store, location, "--every", "100ms", "--json"])
                mischief.kill(shipper.processIdentifier, within: kill % 3 == 0 ? 60 : 12)
                let status = await shipper.end()
                #expect(status == -SIGKILL, "\(shipper.errorText)")
                if kill % max(1, killCount / 20) == 0 {
                    let target = directory + "/restored-\(kill)"
                    let restore = try await Program.run(
                        "travertine-ship", ["restore", location, target])
                    // The first shippers may have been killed before their first point.
                    if restore.status == 66, newest == 0 { continue }
                    #expect(restore.status == 0, "\(restore.errorText)")
                    let number = try #require(try WrittenStore.newestNumber(at: target))
                    #expect(number >= newest)
                    newest = number
                    try FileManager.default.removeItem(atPath: target)
                }
                #expect(writer.lines.count >= acknowledged)
            }
            writer.kill()
            _ = await writer.end()
            let line = try #require(writer.lines.last)
            let last = try #require(line.split(separator: " ").first.flatMap { Int($0) })
            let arguments = ["ship", store, location, "--once"]
            var final = try await Program.run("travertine-ship", arguments)
            // The proxy may have failed where one that ships once gives up.
            for _ in 0..<5 where final.status == 69 {
                final = try await Program.run("travertine-ship", arguments)
            }
            #expect(final.status == 0, "\(final.errorText)")
            let target = directory + "/last"
            let restore = try await Program.run("travertine-ship", ["restore", location, target])
            #expect(restore.status == 0, "\(restore.errorText)")
            let number = try #require(try WrittenStore.newestNumber(at: target))
            #expect(number >= last)
            print("\(killCount) kills, \(proxy.requests.count) requests, entry \(number)")
        }
        await proxy.stop()
    }

    @Test("What is lost with the machine was committed no longer ago than the interval and a round")
    func machine() async throws {
        struct Line: Decodable {
            var event: String
            var milliseconds: Int64?
        }
        let every: Int64 = 300
        let server = try #require(await MotoServer.shared())
        let bucket = try await server.makeBucket()
        let count = environmentNumber("TRAVERTINE_SHIP_CRASHES") ?? 3
        for crash in 0..<count {
            try await withTemporaryDirectory { directory in
                let location =
                    "s3://\(bucket)/crash-\(crash)?endpoint=http://127.0.0.1:\(server.port)"
                    + "&region=eu-central-1"
                let store = directory + "/store"
                let writer = try Program("shipping-writer", [store, "1", "3"])
                #expect(await writer.wait { $0.count > 5 })
                let shipper = try Program(
                    "travertine-ship",
                    ["ship", store, location, "--every", "\(every)ms", "--json"])
                let roundCount = Int.random(in: 3...8)
                let shipped = await shipper.wait { lines in
                    lines.filter { $0.contains(#""event":"shipped""#) }.count >= roundCount
                }
                #expect(shipped)
                let more = writer.lines.count + Int.random(in: 1...150)
                #expect(await writer.wait { $0.count >= more })
                // The machine is lost: both processes, and the disk.
                shipper.kill()
                let end = Int64(Date().timeIntervalSince1970 * 1000)
                writer.kill()
                _ = await writer.end()
                _ = await shipper.end()
                try FileManager.default.removeItem(atPath: store)
                let rounds = try shipper.lines.map {
                    try JSONDecoder().decode(Line.self, from: Data($0.utf8))
                }.compactMap(\.milliseconds)
                let longest = rounds.max() ?? 0
                let target = directory + "/restored"
                let restore = try await Program.run(
                    "travertine-ship", ["restore", location, target])
                #expect(restore.status == 0, "\(restore.errorText)")
                let number = try #require(try WrittenStore.newestNumber(at: target))
                let lost = writer.lines.first { line in
                    (line.split(separator: " ").first.flatMap { Int($0) } ?? 0) > number
                }
                let time = lost?.split(separator: " ").last.flatMap { Int64($0) } ?? end
                let slack: Int64 = 250
                #expect(end - time <= max(every, longest) + longest + slack)
                print(
                    "every \(every) ms, longest round \(longest) ms: lost the last \(end - time) ms"
                )
            }
        }
    }
}
