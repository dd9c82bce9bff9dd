import Synchronization

/// The writer's counters, read by any thread.
final class LogCounters: Sendable {
    private let batchCount = Atomic<UInt64>(0)
    private let bytesWritten = Atomic<UInt64>(0)
    private let zeroBytesWritten = Atomic<UInt64>(0)
    private let segmentsSealed = Atomic<UInt64>(0)
    private let failedPreparations = Atomic<UInt64>(0)

    func didWrite(byteCount: Int) {
        batchCount.wrappingAdd(1, ordering: .relaxed)
        bytesWritten.wrappingAdd(UInt64(byteCount), ordering: .relaxed)
    }

    func didWriteZeros(byteCount: Int) {
        zeroBytesWritten.wrappingAdd(UInt64(byteCount), ordering: .relaxed)
    }

    func didSeal() { segmentsSealed.wrappingAdd(1, ordering: .relaxed) }

    func didFailToPrepare() { failedPreparations.wrappingAdd(1, ordering: .relaxed) }

    func add(to statistics: inout LogStatistics) {
        statistics.batchCount = batchCount.load(ordering: .relaxed)
        statistics.bytesWritten = bytesWritten.load(ordering: .relaxed)
        statistics.zeroBytesWritten = zeroBytesWritten.load(ordering: .relaxed)
        statistics.segmentsSealed = segmentsSealed.load(ordering: .relaxed)
        statistics.failedPreparations = failedPreparations.load(ordering: .relaxed)
    }
}
