import Foundation
import StoreSimulation

/// What became of some seeds, as one process reports it to another.
struct SimulationOutcome: Codable {
    /// A seed that broke a rule.
    struct Failure: Codable {
        var seed: UInt64
        var message: String
    }

    var seedCount: UInt64 = 0
    var total = StoreSimulation.Report()
    /// The first failing seed, if there is one.
    var failure: Failure?

    /// Adds what another process has found; of two failures the lower seed is kept.
    mutating func add(_ other: SimulationOutcome) {
        seedCount += other.seedCount
        total.add(other.total)
        failure = [failure, other.failure].compactMap { $0 }.min { $0.seed < $1.seed }
    }

    /// Writes itself to the standard output, for the process that reads it.
    func write() {
        guard let data = try? JSONEncoder().encode(self) else { return }
        FileHandle.standardOutput.write(data)
    }

    /// Prints what happened; the exit code.
    func tell(seconds: Double, roundCount: Int) -> Int32 {
        if let failure {
            print("FAILED \(failure.message)")
            print(
                "repeat with: Tools/simulate --seeds 1 --first \(failure.seed) "
                    + "--rounds \(roundCount)")
            return 1
        }
        // What is looked at in some lives only would go missing silently.
        if seedCount >= 200,
            [total.verifiedCutCount, total.removedSegmentCount, total.feedResumptionCount].contains(
                0)
        {
            print(
                "FAILED: no power cut was verified, no segment removed, or no feed went on, "
                    + "in \(seedCount) seeds")
            return 1
        }
        let rate = Int((Double(seedCount) / max(seconds, 0.001)).rounded())
        print(
            """
            \(seedCount) seeds passed in \(Int(seconds.rounded())) s (\(rate)/s): \
            \(total.transactionCount) transactions, \(total.crashCount) crashes, \
            \(total.faultCount) faults, \(total.checkpointCount) checkpoints, \
            \(total.fallbackCount) fallbacks, \(total.replayCount) losses of all checkpoints, \
            \(total.passCount) compactions that removed \(total.removedSegmentCount) segments, \
            \(total.packedValueCount) compressed values, \(total.scrubbedByteCount >> 10) KiB \
            verified in the background, \
            \(total.verifiedCutCount) power cuts verified, \(total.backupCount) backups, \(total.renewedBackupCount) of them renewed, \
            \(total.restoredCount) restored; in other processes \(total.readerOpeningCount) \
            readers, \(total.readerRefreshCount) refreshes, \(total.readerSnapshotCount) older \
            snapshots, \(total.readerBackupCount) backups restored, \
            \(total.readerKillCount) processes killed; feeds showed \(total.feedChangeCount) \
            changes, \(total.feedSnapshotCount) snapshots, \(total.feedDifferenceCount) \
            differences, and went on \(total.feedResumptionCount) times; \
            \(total.lostTransactionCount) undurable transactions lost
            """)
        return 0
    }
}
