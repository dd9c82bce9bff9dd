import SegmentLog
import Synchronization
import TravertineStore

/// An environment in which the same input does the same: files in memory, jobs that run when they
/// are started, numbers that count up.
struct InputMachine {
    static let path = "/store"

    let fileSystem: MemoryFileSystem
    let executor = HandExecutor()
    private let counter = Counter()

    private final class Counter: Sendable {
        private let value = Atomic<UInt64>(1)
        func next() -> UInt64 { value.add(1, ordering: .relaxed).newValue }
    }

    init(_ files: [String: [UInt8]] = [:]) {
        fileSystem = files.isEmpty ? MemoryFileSystem() : MemoryFileSystem(Self.path, files)
    }

    var environment: Environment {
        let counter = counter
        return Environment(
            fileSystem: fileSystem, executor: executor, now: { counter.next() &* 1000 },
            random: {
                // Never zero, and far apart.
                counter.next() &* 0x9e37_79b9_7f4a_7c15
            })
    }

    func options(_ readMode: ReadMode = .verified) -> StoreOptions {
        var options = StoreOptions()
        options.readMode = readMode
        options.segmentByteCount = 4096
        options.environment = environment
        return options
    }
}

/// Runs background jobs in the calling thread, when it asks for them.
final class HandExecutor: Executor, @unchecked Sendable {
    private var jobs: [@Sendable () -> Void] = []

    override func submit(_ job: @escaping @Sendable () -> Void) { jobs.append(job) }

    // Nothing waits for a later time here.
    override func submit(
        afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void
    ) {}

    override func timer(_ job: @escaping @Sendable () -> Void) -> ExecutorTimer { NoTimer() }

    override func drain() {
        // A job may submit the next one; an input must not make that endless.
        for _ in 0..<1000 where !jobs.isEmpty { jobs.removeFirst()() }
        jobs.removeAll()
    }
}

/// A timer whose time never comes.
private final class NoTimer: ExecutorTimer, @unchecked Sendable {
    override func set(afterNanoseconds delay: UInt64) {}
    override func cancel() {}
}
