import Synchronization

/// Figures that the writer sets at the end of each transaction, and any thread reads.
final class IndexCounters: Sendable {
    let usedNodes = Atomic<Int>(0)
    let retiredNodes = Atomic<Int>(0)
    let chunkBytes = Atomic<Int>(0)
    let keys = Atomic<Int>(0)
    let changedNodes = Atomic<Int>(0)
}
