import Dispatch
import SimulatedDisk
import StoreWorkload
import TestSupport

/// Another process of a simulated machine, whose calls come between those of the store's process.
///
/// Its work runs on its own thread, and never at the same time as the store's: before each call of
/// either process the seed decides which of them goes on. So every interleaving of two processes
/// can come, and each comes again with its seed. One thread at a time has the turn, which is why
/// the state needs no lock.
final class OtherProcess: @unchecked Sendable {
    let fileSystem: SimulatedFileSystem
    private let disk: SimulatedDisk
    private var random: SeededRandom
    /// The turn changes before one of so many calls.
    private let period: UInt64
    private let turnOfStore = DispatchSemaphore(value: 0)
    private let turnOfOther = DispatchSemaphore(value: 0)
    /// Whether its work has not ended yet.
    private(set) var isRunning = false
    /// What became of the work that ended last.
    private var outcome: Result<Void, any Error> = .success(())

    init(on disk: SimulatedDisk, seed: UInt64) {
        self.disk = disk
        random = SeededRandom(seed: seed)
        period = [2, 8, 32][Int(random.next() % 3)]
        fileSystem = disk.startBeside()
        disk.setInterlude(before: fileSystem) { [weak self] in
            // Only in its work: what it leaves is let go of by the store's thread.
            guard let self, isRunning, random.next() % period == 0 else { return }
            giveTurnBack()
        }
    }

    private func giveTurnBack() {
        turnOfStore.signal()
        turnOfOther.wait()
    }

    private func giveTurn() {
        turnOfOther.signal()
        turnOfStore.wait()
    }

    // MARK: What the store's thread does

    /// Begins work, which goes on when the store's process gives the turn. None may be in progress.
    func begin(_ work: @escaping @Sendable () throws -> Void) {
        precondition(!isRunning, "a process has one thread")
        isRunning = true
        DispatchQueue.global().async { [self] in
            turnOfOther.wait()
            outcome = Result { try work() }
            isRunning = false
            turnOfStore.signal()
        }
    }

    /// Before a call of the store's process: perhaps the other one goes on.
    func mayRun() {
        if isRunning, random.next() % period == 0 { giveTurn() }
    }

    /// Lets the work go on to its end; gives what became of it.
    func finish() -> Result<Void, any Error> {
        while isRunning { giveTurn() }
        return outcome
    }

    /// Ends the process in the middle of whatever it does.
    func kill() {
        disk.end(fileSystem)
        _ = finish()
    }
}
