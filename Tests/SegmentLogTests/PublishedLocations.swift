import Dispatch
import Locks
import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport

/// Locations that a writer hands to readers.
final class PublishedLocations: Sendable {
    private let list = Locked<[Location]>([])
    private let isFinished = Atomic<Bool>(false)

    func add(_ location: Location) { list.withLock { $0.append(location) } }

    func finish() { isFinished.store(true, ordering: .releasing) }

    var isDone: Bool { isFinished.load(ordering: .acquiring) }

    func pick(_ random: inout SeededRandom) -> (number: Int, location: Location)? {
        list.withLock { list in
            guard !list.isEmpty else { return nil }
            // Mostly the newest ones, where the tail is.
            let reach = random.chance(50) ? min(list.count, 16) : list.count
            let index = list.count - 1 - random.below(reach)
            return (index, list[index])
        }
    }
}

/// Starts threads that read and verify published records; the result waits for them and counts
/// what went wrong.
func runReaders(
    of log: SegmentLog, _ published: PublishedLocations, threadCount: Int
) -> () -> Int {
    let counter = FailureCounter()
    let group = DispatchGroup()
    for thread in 0..<threadCount {
        DispatchQueue.global().async(group: group) {
            var random = SeededRandom(scattering: UInt64(thread))
            while !published.isDone {
                guard let (number, location) = published.pick(&random) else { continue }
                do {
                    let record = try log.reader.verifiedRecord(at: location)
                    if Array(record.key) != put(number).key { counter.add() }
                } catch {
                    counter.add()
                }
            }
        }
    }
    return {
        group.wait()
        return counter.value
    }
}

private final class FailureCounter: Sendable {
    private let count = Atomic<Int>(0)
    func add() { count.wrappingAdd(1, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}
