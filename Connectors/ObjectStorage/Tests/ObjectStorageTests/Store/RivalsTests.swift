import NIOHTTP1
import StorageServers
import Synchronization
import Testing

@testable import ObjectStorage

/// Two clients put conditionally in the same state, again and again, through a proxy that loses,
/// refuses and garbles, and that answers HEAD with what it answered before.
@Suite("Two rivals", .enabled(Python.absence, Python.isAvailable))
struct RivalsTests {
    @Test("Exactly one wins each round, and each knows")
    func rounds() async throws {
        let seed = announcedSeed()
        let generator = SharedGenerator(seed: seed)
        let mischief = Mischief(generator)
        var options = ObjectStoreOptions.test()
        options.randomNumber = { generator.next() }
        // Faults come at random: so many in a row do not.
        options.retry = RetryPolicy(attemptCountMax: 40, delayBase: .zero)
        let roundCount = environmentNumber("TRAVERTINE_ROUNDS") ?? 150
        try await withStore(options: options, script: mischief.fault) { first, proxy in
            let second = try ObjectStore(first.location, options: options) { testCredentials }
            var condition = PutCondition.ifAbsent
            for round in 0..<roundCount {
                let state = condition
                async let one = attempt(first, Array("\(round) first".utf8), state)
                async let other = attempt(second, Array("\(round) second".utf8), state)
                let outcomes = await [("first", one), ("second", other)]
                let winners = outcomes.filter { (try? $0.1.get()) != nil }
                guard winners.count == 1, let winner = winners.first else {
                    Issue.record("round \(round): \(outcomes), seed \(seed)")
                    break
                }
                for (_, outcome) in outcomes where (try? outcome.get()) == nil {
                    #expect(throws: ObjectStorageError.conditionFailed(key: "a")) {
                        try outcome.get()
                    }
                }
                let content = try await first.get("a")
                #expect(String(decoding: content.bytes, as: UTF8.self) == "\(round) \(winner.0)")
                #expect(content.attributes.entityTag == (try winner.1.get()))
                condition = .ifMatch(content.attributes.entityTag)
            }
            await second.close()
            print("rounds: \(roundCount), requests: \(proxy.requests.count)")
        }
    }

    private func attempt(
        _ store: ObjectStore, _ bytes: [UInt8], _ condition: PutCondition
    ) async -> Result<EntityTag, any Error> {
        do {
            return .success(try await store.put(.bytes(bytes), at: "a", condition: condition))
        } catch {
            return .failure(error)
        }
    }
}

/// Random faults; those of HEAD among them with answers of before.
private final class Mischief: Sendable {
    private let generator: SharedGenerator
    private let latestHead = Mutex<ProxiedResponse?>(nil)

    init(_ generator: SharedGenerator) { self.generator = generator }

    func fault(_ request: ProxiedRequest) -> Fault {
        let choice = generator.next(below: 100)
        switch request.method {
        case .PUT:
            return switch choice {
            case 0..<15: .loseAnswer
            case 15..<30: .close
            case 30..<35: .status(503)
            case 35..<45: .change { $0 = ProxiedResponse(status: .internalServerError) }
            case 45..<50: .change { $0.headers.remove(name: "etag") }
            case 50..<53: .status(409, "<Error><Code>ConditionalRequestConflict</Code></Error>")
            case 53..<58: .truncate(0)
            default: .none
            }
        case .HEAD:
            return switch choice {
            case 0..<10: .close
            case 10..<20: .status(500)
            case 20..<45: .change { response in self.exchange(&response) }
            default: .change { response in self.latestHead.withLock { $0 = response } }
            }
        default:
            return switch choice {
            case 0..<10: .close
            case 10..<20: .truncate(3)
            case 20..<25: .status(503)
            case 25..<30: .change { if !$0.body.isEmpty { $0.body[0] ^= 1 } }
            default: .none
            }
        }
    }

    /// Answers with the latest answer that was let through, which may be of an earlier round.
    private func exchange(_ response: inout ProxiedResponse) {
        if let earlier = latestHead.withLock({ $0 }) { response = earlier }
    }
}
