import TravertineStore

/// Shipping until it is to end.
extension Shipper {
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)
    /// For so long a clock that was hours after the manifest at the start is not believed.
    private static let doubtDuration = Duration.seconds(24 * 3600)

    /// Ships until `isEnding` is true: a point at most once in an interval, and at latest one
    /// interval after a commit became durable. Then puts a last one, and gives the backup back.
    ///
    /// While the storage can't be used it goes on trying; while the store can't, for as long as the
    /// options say. Points are pruned at the same time: however long that takes, and whether it
    /// succeeds, the rounds go on.
    ///
    /// - Throws: `ShippingError`, `StorageFailure.refused`, `StoreError`, `CancellationError`.
    public func run(until isEnding: @Sendable () -> Bool) async throws {
        do {
            try await runRounds(until: isEnding)
        } catch {
            await endPruning()
            throw error
        }
        await endPruning()
        try await end()
    }

    private func runRounds(until isEnding: @Sendable () -> Bool) async throws {
        var pause: Duration?
        var storeFailedSince: Int64?
        while !isEnding() {
            let start = options.now()
            do {
                try await round()
                (storeFailedSince, isContinuing, putCount) = (nil, true, options.putCountMax)
                if pause != nil { report(.recovered) }
                pause = nil
                pruneIfDue()
            } catch StorageFailure.unavailable(let reason) {
                if pause == nil { report(.waiting(reason: reason)) }
                putCount = 1
                pause = min((pause ?? Self.firstPause / 2) * 2, Self.longestPause)
            } catch let error as StoreError where isContinuing && !isPermanent(error) {
                let since = storeFailedSince ?? start
                if start - since > options.storePatience.milliseconds { throw error }
                storeFailedSince = since
                if pause == nil { report(.waiting(reason: "\(error)")) }
                pause = Self.firstPause
            }
            try await rest(pause ?? remaining(since: start), until: isEnding)
        }
        // What was committed since the last round.
        if isContinuing { try await round() }
    }

    private func isPermanent(_ error: StoreError) -> Bool {
        [.permissionDenied, .invalidEncryptionKey, .newerFormat].contains(error.code)
    }

    private func remaining(since start: Int64) -> Duration {
        let spent = Duration.milliseconds(options.now() - start)
        return min(max(.zero, options.interval - spent), options.interval)
    }

    /// Waits, looks now and then whether it is to end, and gives signs of life.
    private func rest(_ duration: Duration, until isEnding: @Sendable () -> Bool) async throws {
        let step = Duration.milliseconds(200)
        var left = duration
        while left > .zero, !isEnding() {
            try await options.sleep(min(step, left))
            left -= step
            do {
                // After a failure the next round finds out first what became of it.
                if unresolved.isEmpty { try await heartbeat() }
            } catch StorageFailure.unavailable {
                // The next round reports that.
            }
        }
    }

    /// Begins to prune, unless that goes on still.
    private func pruneIfDue() {
        let ahead = clockAdvance()
        guard let rules = options.retention, pruning == nil else { return }
        let uptime = options.uptime()
        if let lastPruning, uptime - lastPruning < options.pruningInterval { return }
        // Not at the first round: a shipper that is started again and again would do little else.
        defer { lastPruning = uptime }
        guard lastPruning != nil else { return }
        if ahead > Pruner.clockToleranceMilliseconds {
            let error = ShippingError.clockAhead(hours: ahead / 3_600_000, isOwn: true)
            return report(.pruningFailed(reason: "\(error)"))
        }
        reportDoubt()
        let pruner = pruner(by: rules)
        pruning = Task {
            do {
                let done = try await pruner.prune()
                if done.pointCount > 0 || done.objectCount > 0 { report(.pruned(done)) }
                if let wait = done.waitMilliseconds {
                    // Another program has removed points since, or this one somewhat later.
                    lastPruning = uptime + .milliseconds(wait) - options.pruningInterval
                }
            } catch is CancellationError {
                // The next shipper prunes.
            } catch {
                report(.pruningFailed(reason: "\(error)"))
            }
            pruning = nil
        }
    }

    /// By how much the time of day was set forward since it was first believed, in milliseconds.
    ///
    /// While it is before the time of the manifest it is wrong, as on a machine that keeps no time
    /// while it is off, until it has asked others: to set it right then is no jump.
    private func clockAdvance() -> Int64 {
        let now = options.now()
        let offset = now - options.uptime().milliseconds
        if let held, now < held.manifest.timeMilliseconds {
            clockOffset = nil
            return 0
        }
        let believed = clockOffset ?? offset
        clockOffset = believed
        return offset - believed
    }

    /// What removes points now.
    ///
    /// A clock that is hours after the manifest that was there at the start may be wrong, or
    /// nothing was shipped for so long: these can't be distinguished (U7a). So for a day ages are
    /// those at that manifest's time, plus six hours and what has passed since. To remove nothing
    /// would be for ever where the program is started once a day.
    private func pruner(by rules: RetentionRules) -> Pruner {
        Pruner(storage: storage, rules: rules, now: options.now, ageLimit: ageLimit())
    }

    private func ageLimit() -> Int64? {
        guard let earlierTime else { return nil }
        let passed = options.uptime() - earlierTime.uptime
        guard passed < Self.doubtDuration else { return nil }
        return earlierTime.milliseconds + passed.milliseconds + Pruner.clockToleranceMilliseconds
    }

    /// Reports, once, that the clock was hours after the manifest that was there at the start.
    private func reportDoubt() {
        guard !hasDoubtedClock, let limit = ageLimit() else { return }
        let ahead = options.now() - limit
        guard ahead > 0 else { return }
        hasDoubtedClock = true
        let hours = (ahead + Pruner.clockToleranceMilliseconds) / 3_600_000
        report(.clockDoubted(hours: hours))
    }

    /// Removes points by the rules, unless that was done within the last hour: for a program that
    /// ships one point and ends. Whether it succeeds is reported; shipping has succeeded then.
    ///
    /// The backup needs not be held: however long it takes, another shipper may go on.
    public func pruneOnce() async throws {
        guard let rules = options.retention else { return }
        do {
            let done = try await pruner(by: rules).prune()
            if done.pointCount > 0 || done.objectCount > 0 { report(.pruned(done)) }
        } catch let error as CancellationError {
            throw error
        } catch {
            report(.pruningFailed(reason: "\(error)"))
        }
    }

    private func endPruning() async {
        pruning?.cancel()
        await pruning?.value
    }
}
