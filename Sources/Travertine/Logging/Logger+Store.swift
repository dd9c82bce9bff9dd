import TravertineStore

/// What is logged of a store.
extension Logger {
    /// Logs how a store was opened, and what was found wrong with it.
    static func log(_ report: OpeningReport, path: String) {
        for damaged in report.damagedCheckpoints {
            log(.warn, "\(path): a damaged checkpoint was ignored: \(damaged)")
        }
        if let tail = report.ignoredTail {
            log(.warn, "\(path): the end of the log was never durable and is ignored: \(tail)")
        }
        log(
            .detail,
            "\(path): opened (\(report.source.rawValue), \(report.replayedTransactions) transactions "
                + "replayed) in \(report.durationNanoseconds / 1_000_000) ms")
    }

    /// Logs an event of a store.
    static func log(_ event: StoreEvent, path: String) {
        switch event {
        // Logged with what the realm is opened for.
        case .opened: break
        case .checkpointWritten(let lsn, let byteCount):
            log(.debug, "\(path): wrote a checkpoint of \(byteCount) bytes at LSN \(lsn)")
        case .checkpointFailed(let error):
            log(.error, "\(path): a checkpoint could not be written: \(error)")
        case .rebuilt(let keyspaces):
            log(.info, "\(path): \(keyspaces.count) indexes were built anew")
        case .rebuildingFailed(let error):
            log(.error, "\(path): indexes could not be built anew: \(error)")
        case .compacted:
            log(.debug, "\(path): a pass of compaction is complete")
        case .compactionFailed(let error):
            log(.error, "\(path): compaction failed: \(error)")
        case .scrubbed:
            log(.debug, "\(path): all files were read, and are whole")
        case .scrubFoundDamage(let error):
            log(.error, "\(path): damage was found: \(error)")
        case .spaceReclaimStopped(let error):
            log(.warn, "\(path): space can't be given back: \(error)")
        case .poisoned(let error):
            log(
                .error,
                "\(path): a sync failed, and nothing can be written before the realm is opened "
                    + "again: \(error)")
        case .closedWithError(let error):
            log(.error, "\(path): closing failed: \(error)")
        }
    }
}
