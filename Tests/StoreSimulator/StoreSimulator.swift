import StoreSimulation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lives many simulated lives of a store, each from a seed of its own, on all cores:
/// `store-simulator [--seeds COUNT] [--first SEED] [--rounds COUNT]`. Exits with 1 at the first
/// failing seed and says how to repeat it.
@main
enum StoreSimulator {
    static func main() {
        let run = SimulationRun(
            first: option("--first", 1), seedCount: option("--seeds", 1000),
            roundCount: Int(option("--rounds", 4)))
        let clock = ContinuousClock()
        let start = clock.now
        run.runOnAllCores()
        let duration = (clock.now - start).components
        exit(run.report(seconds: Double(duration.seconds) + Double(duration.attoseconds) / 1e18))
    }

    /// The value behind a flag, or the default.
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

/// A range of seeds that threads take one after the other.
final class SimulationRun: Sendable {
    private struct Progress {
        var next: UInt64
        var done: UInt64 = 0
        var total = StoreSimulation.Report()
        var failure: (seed: UInt64, message: String)?
    }

    private let end: UInt64
    private let roundCount: Int
    private let progress: Mutex<Progress>

    init(first: UInt64, seedCount: UInt64, roundCount: Int) {
        end = first + seedCount
        self.roundCount = roundCount
        progress = Mutex(Progress(next: first))
    }

    /// Starts a thread for each core and waits for them.
    func runOnAllCores() {
        let count = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let threads = (0..<count).map { _ in
            let unowned = Unmanaged.passRetained(self)
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            let result = pthread_create(
                &thread, nil,
                { context in
                    #if canImport(Darwin)
                        let pointer = context
                    #else
                        guard let pointer = context else { return nil }
                    #endif
                    Unmanaged<SimulationRun>.fromOpaque(pointer).takeRetainedValue().work()
                    return nil
                }, unowned.toOpaque())
            precondition(result == 0, "no thread could be started: \(result)")
            return thread
        }
        for thread in threads {
            #if canImport(Darwin)
                if let thread { pthread_join(thread, nil) }
            #else
                pthread_join(thread, nil)
            #endif
        }
    }

    private func work() {
        while true {
            let seed = progress.withLock { progress -> UInt64? in
                guard progress.failure == nil, progress.next < end else { return nil }
                defer { progress.next += 1 }
                return progress.next
            }
            guard let seed else { return }
            do {
                let report = try StoreSimulation.run(seed: seed, roundCount: roundCount)
                progress.withLock {
                    $0.total.add(report)
                    $0.done += 1
                }
            } catch {
                progress.withLock { $0.failure = $0.failure ?? (seed, "\(error)") }
            }
        }
    }

    /// Prints what happened; the exit code.
    func report(seconds: Double) -> Int32 {
        let result = progress.withLock { $0 }
        if let failure = result.failure {
            print("FAILED \(failure.message)")
            print(
                "repeat with: Tools/simulate --seeds 1 --first \(failure.seed) "
                    + "--rounds \(roundCount)")
            return 1
        }
        let rate = Int((Double(result.done) / max(seconds, 0.001)).rounded())
        let total = result.total
        print(
            """
            \(result.done) seeds passed in \(Int(seconds.rounded())) s (\(rate)/s): \
            \(total.transactionCount) transactions, \(total.crashCount) crashes, \
            \(total.faultCount) faults, \(total.checkpointCount) checkpoints, \
            \(total.fallbackCount) fallbacks, \(total.replayCount) losses of all checkpoints, \
            \(total.passCount) compactions that removed \(total.removedSegmentCount) segments, \
            \(total.packedValueCount) compressed values, \(total.scrubbedByteCount >> 10) KiB \
            verified in the background, \
            \(total.backupCount) backups, \(total.renewedBackupCount) of them renewed, \
            \(total.restoredCount) restored, \
            \(total.lostTransactionCount) undurable transactions lost
            """)
        return 0
    }
}
