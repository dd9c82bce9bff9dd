import SegmentLog
import SimulatedDisk
import TestSupport

/// Random work on a log over several lives of a machine, checked against a list of transactions.
///
/// The oracle: after each restart, what recovery replays is a first part of what was committed, in
/// order and whole; it holds every transaction that a returned `waitUntilDurable` covers; a commit
/// that failed cleanly is not among it; a commit of unknown outcome may be.
struct LogSimulation {
    let fixture: LogFixture
    let seed: UInt64
    var random: SeededRandom
    var committed: [Replay.Transaction] = []
    /// The transaction whose commit ended with `commitOutcomeUnknown`.
    var uncertain: Replay.Transaction?
    var acknowledged = LSN.zero
    var number = 0
    var complaint: String?

    init(seed: UInt64, assumptions: DiskAssumptions = DiskAssumptions()) {
        self.seed = seed
        random = SeededRandom(scattering: seed)
        fixture = LogFixture(
            seed: seed, assumptions: assumptions, segmentByteCount: 4096, fileCapacity: 32 << 10)
        fixture.options.maximumBufferedByteCount = 300 + random.below(900)
        fixture.options.zeroAheadByteCount = random.chance(50) ? 0 : 2048
        fixture.options.openFileBudget = 2 + random.below(3)
        fixture.options.readMode = random.chance(20) ? .pread : .mapped
    }

    mutating func complain(_ text: String) {
        if complaint == nil {
            complaint = "seed \(seed): \(text); last calls: \(fixture.disk.recentCalls)"
        }
    }

    // MARK: Working

    /// Does `steps` random steps; ends early when the log takes no more writes.
    mutating func work(_ log: SegmentLog, steps: Int) {
        for _ in 0..<steps {
            if complaint != nil { return }
            switch random.below(10) {
            case 0..<6: transaction(log)
            case 6..<8: waitForSomething(log)
            case 8: _ = fixture.executor.runNext()
            default: if random.chance(30) { log.seal() } else { readSomething(log) }
            }
            checkInvariants(log)
            if log.isPoisoned || fixture.disk.hasCrashed { return }
        }
    }

    /// Checks the rules of the log, in builds that can.
    private mutating func checkInvariants(_ log: SegmentLog) {
        #if DEBUG
            if let problem = log.checkInvariants().first { complain(problem) }
        #endif
    }

    private mutating func transaction(_ log: SegmentLog) {
        log.beginTransaction()
        var live: [TestRecord] = []
        var marks: [(SegmentLog.Mark, Int)] = []
        let firstLSN = log.nextLSN
        do {
            for _ in 0..<1 + random.below(random.chance(10) ? 60 : 6) {
                if random.chance(10) { marks.append((log.mark(), live.count)) }
                if random.chance(6), !marks.isEmpty {
                    let index = random.below(marks.count)
                    try log.rollback(to: marks[index].0)
                    live.removeSubrange(marks[index].1...)
                    marks.removeSubrange((index + 1)...)
                }
                number += 1
                var record =
                    random.chance(20)
                    ? delete(number) : put(number, byteCount: random.below(120))
                record.location = try log.append(record)
                live.append(record)
                checkPending(log, record)
                checkInvariants(log)
            }
            if random.chance(10) {
                log.abortTransaction()
                return
            }
        } catch {
            log.abortTransaction()
            return
        }
        commit(log, Replay.Transaction(firstLSN: firstLSN, records: live))
    }

    private mutating func commit(_ log: SegmentLog, _ transaction: Replay.Transaction) {
        var transaction = transaction
        do {
            let before = log.writtenLSN
            transaction.lastLSN = try log.commitTransaction(
                isDeleteOnly: transaction.records.allSatisfy { $0.kind == .delete })
            if transaction.lastLSN == before, transaction.records.isEmpty { return }
            committed.append(transaction)
        } catch LogError.commitOutcomeUnknown(let lsn) {
            transaction.lastLSN = lsn
            uncertain = transaction
        } catch {
            // A clean failure: nothing of it may come back.
        }
    }

    private mutating func checkPending(_ log: SegmentLog, _ record: TestRecord) {
        guard let found = log.pendingRecordPointer(at: record.location) else {
            return complain("an appended record is not pending")
        }
        if Array(found.key) != record.key { complain("a pending record has another key") }
    }

    private mutating func waitForSomething(_ log: SegmentLog) {
        let written = log.writtenLSN
        guard written > .zero else { return }
        do {
            try log.waitUntilDurable(written)
            acknowledged = max(acknowledged, written)
            if log.durableLSN < written { complain("acknowledged but not durable") }
        } catch LogError.commitOutcomeUnknown {
            if !log.isPoisoned { complain("an unknown outcome without poison") }
        } catch {
            complain("waiting failed with \(error)")
        }
    }

    private mutating func readSomething(_ log: SegmentLog) {
        guard !committed.isEmpty else { return }
        let records = committed[random.below(committed.count)].records
        guard !records.isEmpty else { return }
        let record = records[random.below(records.count)]
        do {
            let found = try log.reader.verifiedRecord(at: record.location)
            if Array(found.value) != record.value || Array(found.key) != record.key {
                complain("a record reads differently: \(record)")
            }
        } catch LogError.io {
            // The fault that this run asked for.
        } catch {
            complain("a record can't be read: \(error)")
        }
    }

    // MARK: Checking

    /// Compares a replay with what may be there, and goes on from it.
    mutating func check(_ replay: Replay, _ report: RecoveryReport) {
        let found = replay.transactions
        let sure = committed.filter { $0.lastLSN <= acknowledged }.count
        var possible = committed
        if let uncertain { possible.append(uncertain) }
        if found.count < sure { complain("\(sure) acknowledged, \(found.count) recovered") }
        if found.count > possible.count {
            complain("\(possible.count) committed, \(found.count) recovered")
        }
        for (index, transaction) in found.enumerated() where index < possible.count {
            if transaction != possible[index] {
                complain(
                    "transaction \(index) came back as \(transaction), was \(possible[index])")
                break
            }
        }
        committed = found
        uncertain = nil
        acknowledged = report.lastLSN
    }

    /// Restarts and recovers, until that succeeds; checks what came back.
    mutating func recover(afterMachineCrash: Bool) -> SegmentLog? {
        if afterMachineCrash { fixture.disk.crash() }
        fixture.disk.clearFaults()
        do {
            let evidence = random.chance(50) ? acknowledged : .zero
            let (log, replay, report) = try fixture.openLog(durableEvidence: evidence)
            check(replay, report)
            if log.durableLSN != report.lastLSN { complain("recovery left something undurable") }
            checkInvariants(log)
            return log
        } catch {
            complain("recovery failed: \(error)")
            return nil
        }
    }
}
