import SimulatedDisk
import StoreWorkload
import TravertineStore

/// What a life does with the processes beside it.
extension StoreSimulation {
    /// Lets the process beside the store go on between two calls of the store's.
    func letReadersRun() {
        guard let readers else { return }
        disk.setInterlude(before: fileSystem) { readers.mayRun() }
    }

    /// Between two transactions: the process beside the store begins something new, and time
    /// passes.
    mutating func readBeside() throws {
        guard let readers else { return }
        if chance(4) { executor.advance(byNanoseconds: random.next() % 8_000_000_000) }
        if chance(2) { return }
        let circumstances = ReaderLife.Circumstances(
            durable: toldBeforeFault ?? durable, hasFault: hasFault, wasOpened: wasOpened,
            feedsAreKept: feedsAreKept)
        try told { try readers.step(circumstances) }
    }

    /// While no process has the store open for writing.
    mutating func readAlone() throws {
        guard let readers else { return }
        for _ in 0..<random.next() % 3 {
            let circumstances = ReaderLife.Circumstances(
                durable: wasOpened ? durable : 0, hasFault: false, wasOpened: wasOpened,
                feedsAreKept: feedsAreKept)
            try told {
                try readers.step(circumstances)
                try readers.finish()
            }
        }
    }

    /// The process beside the store meets its rules, or the life fails; what it has seen is
    /// durable.
    private mutating func told(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let broken as BrokenRule {
            throw fail(broken.message)
        }
        guard let seen = readers?.seen else { return }
        guard seen <= attempted else {
            throw fail("\(seen) transactions were seen, \(attempted) were attempted")
        }
        durable = max(durable, seen)
    }

    /// The machine, or the store's process, has stopped.
    mutating func stopReaders() {
        guard let readers else { return }
        readers.noteFault(hasFault)
        if isAfterCrash {
            wasOpened = false
            readers.meetCrash()
        } else {
            // What was to be published for readers may not have been written.
            if hasFault { wasOpened = false }
            if chance(6) { readers.kill() }
        }
        durable = max(durable, readers.seen)
    }

    /// The end of the life: whatever is in progress ends well.
    mutating func endReaders() throws {
        guard let readers else { return }
        try told { try readers.finish() }
        readers.kill()
        // The disk would keep the processes, and they the disk.
        disk.setInterlude(before: fileSystem, nil)
        report.readerOpeningCount += readers.counts.openingCount
        report.readerRefreshCount += readers.counts.refreshCount
        report.readerSnapshotCount += readers.counts.keptSnapshotCount
        report.readerBackupCount += readers.counts.backupCount
        report.readerKillCount += readers.counts.killCount
        if let feed = readers.feed { count(feed) }
    }
}
