import Foundation
import StoreSimulation

/// Lives many simulated lives of a store, each from its own seed:
/// `store-simulator [--seeds COUNT] [--first SEED] [--rounds COUNT] [--processes COUNT]
/// [--encrypted]`. Exits with 1 at the first failing seed and says how to repeat it.
///
/// One process for each processor, pinned to it, with its own range of the seeds: beside each other
/// in one process, lives wait for each other's memory and locks, and run a third slower.
@main
enum StoreSimulator {
    static func main() {
        let seeds = SeedRange(
            first: option("--first", 1), count: option("--seeds", 1000),
            roundCount: Int(option("--rounds", 4)),
            isEncrypted: CommandLine.arguments.contains("--encrypted"))
        if CommandLine.arguments.contains("--as-part") {
            let outcome = seeds.live()
            outcome.write()
            exit(outcome.failure == nil ? 0 : 1)
        }
        let processors = Processors.allowed
        let count = max(1, min(option("--processes", UInt64(processors.count)), seeds.count))
        let clock = ContinuousClock()
        let start = clock.now
        let outcome =
            count == 1
            ? seeds.live() : SimulatorParts.run(seeds.divided(by: count), on: processors)
        let duration = (clock.now - start).components
        let seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
        exit(outcome.tell(seconds: seconds, roundCount: seeds.roundCount))
    }

    /// The value after a flag, or the default.
    private static func option(_ name: String, _ standard: UInt64) -> UInt64 {
        guard let place = CommandLine.arguments.firstIndex(of: name) else { return standard }
        guard place + 1 < CommandLine.arguments.count,
            let value = UInt64(CommandLine.arguments[place + 1])
        else {
            print("\(name) takes a number")
            exit(64)
        }
        return value
    }
}

/// Seeds that are lived one after the other.
struct SeedRange {
    var first: UInt64
    var count: UInt64
    var roundCount: Int
    /// Whether the stores are encrypted, by a cipher that stops at a nonce that comes twice.
    var isEncrypted: Bool

    /// Lives them up to the first that fails.
    func live() -> SimulationOutcome {
        var outcome = SimulationOutcome()
        for seed in first..<first + count {
            do {
                outcome.total.add(
                    try StoreSimulation.run(
                        seed: seed, roundCount: roundCount,
                        isEncrypted: isEncrypted))
                outcome.seedCount += 1
            } catch {
                outcome.failure = SimulationOutcome.Failure(seed: seed, message: "\(error)")
                break
            }
        }
        return outcome
    }

    /// The same seeds in ranges of about the same size.
    func divided(by parts: UInt64) -> [SeedRange] {
        (0..<parts).map { part in
            let start = count * part / parts
            return SeedRange(
                first: first + start, count: count * (part + 1) / parts - start,
                roundCount: roundCount, isEncrypted: isEncrypted)
        }
    }
}
