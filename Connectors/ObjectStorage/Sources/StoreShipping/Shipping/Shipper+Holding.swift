/// Who may write: the manifest is replaced by conditional puts only (U1).
extension Shipper {
    private static let attemptCountMax = 10

    /// Takes the backup: makes its manifest, or puts itself in the place of a shipper that has
    /// ended, is dead, or is to be replaced.
    ///
    /// - Throws: `ShippingError.held`, `.notABackup`, `.newerFormat`, `.damaged`;
    ///   `StorageFailure`, also where the service ignores conditions.
    public func acquire() async throws {
        let reader = PointReader(storage: storage)
        for _ in 0..<Self.attemptCountMax {
            let found = try await reader.manifest()
            let uptime = options.uptime()
            if let found, found.manifest.holder.id == identity.id {
                try await checkConditions(found.manifest, replacing: nil)
                hold(found.manifest, found.tag, uptime)
                return
            }
            if earlierTime == nil, let found {
                earlierTime = EarlierTime(
                    milliseconds: found.manifest.timeMilliseconds, uptime: uptime)
            }
            var next: ShippingManifest
            if let found {
                if !options.takesOver { try checkIsFree(found.manifest) }
                next = found.manifest
            } else {
                try await checkHasNoPoints()
                next = ShippingManifest(
                    sequence: 0, nonce: HexadecimalNumber(0), timeMilliseconds: 0,
                    holder: identity, isHeld: true, histories: [], point: nil)
            }
            let before = found?.manifest
            sign(&next)
            do {
                let tag = try await storage.put(
                    try ObjectCoding.encode(next), at: ObjectName.manifest,
                    condition: found.map { .ifMatch($0.tag) } ?? .ifAbsent)
                try await checkConditions(next, replacing: found?.tag)
                hold(next, tag, uptime)
                let isTaken = before.map { $0.isHeld } ?? false
                report(.holding(takenFrom: isTaken ? before.map { describe($0.holder) } : nil))
                return
            } catch StorageFailure.conditionFailed {
                // Somebody else was faster, or the answer to the reading was an old one.
                continue
            }
        }
        throw StorageFailure.unavailable(
            "the object “\(ObjectName.manifest)” changes each time that it is read")
    }

    /// Throws unless the service refuses puts whose conditions do not hold, on which U1 depends.
    ///
    /// The manifest was put just before. Should it be stored once more, nothing changes: the bytes
    /// are the same.
    private func checkConditions(
        _ manifest: ShippingManifest, replacing tag: StorageTag?
    ) async throws {
        let bytes = try ObjectCoding.encode(manifest)
        for condition in [.ifAbsent] + (tag.map { [.ifMatch($0)] } ?? [StorageCondition]()) {
            do {
                _ = try await storage.put(bytes, at: ObjectName.manifest, condition: condition)
            } catch StorageFailure.conditionFailed {
                continue
            }
            throw StorageFailure.refused(
                "it replaces an object under a condition that does not hold (If-None-Match or "
                    + "If-Match). With such a service two programs could write to one backup at the "
                    + "same time, and destroy it. Choose a service that takes conditional puts.")
        }
    }

    /// Throws where there are points and no manifest: numbers would be given twice.
    private func checkHasNoPoints() async throws {
        try await storage.list(prefix: ObjectName.points) { item in
            if ObjectName.summary(inPointKey: item.key) != nil {
                throw ShippingError.manifestDeleted
            }
        }
    }

    private func hold(_ manifest: ShippingManifest, _ tag: StorageTag, _ uptime: Duration) {
        held = HeldManifest(manifest: manifest, tag: tag)
        lastManifest = uptime
        unresolved = [:]
        known = nil
        stored = nil
        archived = 0
        isContinuityCertain = false
    }

    private func checkIsFree(_ manifest: ShippingManifest) throws {
        guard manifest.isHeld else { return }
        let holder = manifest.holder
        if isKnownToBeDead(holder) { return }
        let age = options.now() - manifest.timeMilliseconds
        let left = options.leaseDuration.milliseconds - age
        guard left > 0 else { return }
        throw ShippingError.held(
            by: describe(holder), secondsSinceManifest: max(0, age / 1000),
            secondsLeft: (left + 999) / 1000)
    }

    /// Whether a holder was a process of this machine that does not exist any more.
    ///
    /// Other machines may have the same name. A process can be looked for only where the machine
    /// was not started again since; after another start none of those before exists.
    private func isKnownToBeDead(_ holder: ShipperIdentity) -> Bool {
        guard holder.host == options.host else { return false }
        guard let boot = options.boot, holder.boot == boot else {
            guard let machine = options.machine, holder.boot != nil else { return false }
            return holder.machine == machine
        }
        return holder.process == options.process || !options.isProcessAlive(holder.process)
    }

    func describe(_ holder: ShipperIdentity) -> String {
        "process \(holder.process) on \(holder.host)"
    }

    private func sign(_ manifest: inout ShippingManifest) {
        manifest.sequence += 1
        manifest.nonce = HexadecimalNumber(options.random())
        manifest.timeMilliseconds = max(manifest.timeMilliseconds, options.now())
        manifest.holder = identity
        manifest.isHeld = true
    }

    /// Puts a sign of life, if the last manifest is old enough, whatever the time of day is set to.
    func heartbeat() async throws {
        guard held != nil, options.uptime() - lastManifest >= options.heartbeatInterval else {
            return
        }
        try await replaceManifest { _ in }
    }

    /// Replaces the manifest that is held. After an error the outcome may be open; `resolve` finds
    /// it.
    ///
    /// - Parameter state: what is known of files from then on; nil if that does not change.
    func replaceManifest(
        knowing state: ShippedState? = nil, _ change: (inout ShippingManifest) -> Void
    ) async throws {
        guard let held else { preconditionFailure("the backup is not held") }
        var next = held.manifest
        let uptime = options.uptime()
        sign(&next)
        change(&next)
        let put = UnresolvedPut(manifest: next, known: state, uptime: uptime)
        unresolved[next.nonce] = put
        do {
            let tag = try await storage.put(
                try ObjectCoding.encode(next), at: ObjectName.manifest,
                condition: .ifMatch(held.tag))
            settle(on: put, tag)
        } catch StorageFailure.conditionFailed, StorageFailure.notFound {
            try await resolve()
            guard self.held?.manifest.nonce == next.nonce else {
                throw StorageFailure.unavailable("the manifest was not replaced")
            }
        }
    }

    /// Finds out what became of puts whose outcome is open.
    ///
    /// - Throws: `ShippingError.takenOver` when another shipper has the backup.
    func resolve() async throws {
        guard let held else { preconditionFailure("the backup is not held") }
        guard let found = try await PointReader(storage: storage).manifest() else {
            throw ShippingError.noBackup
        }
        if let put = unresolved[found.manifest.nonce] {
            settle(on: put, found.tag)
        } else if found.manifest.nonce == held.manifest.nonce {
            // Not yet, or never: if one of the puts is still on its way, the condition of the next
            // one fails, and it is found then.
            self.held?.tag = found.tag
        } else if found.manifest.sequence < held.manifest.sequence {
            throw StorageFailure.unavailable("the manifest that was read is an old one")
        } else {
            self.held = nil
            throw ShippingError.takenOver(by: describe(found.manifest.holder))
        }
    }

    private func settle(on put: UnresolvedPut, _ tag: StorageTag) {
        let isPoint = put.manifest.point?.number != held?.manifest.point?.number
        held = HeldManifest(manifest: put.manifest, tag: tag)
        lastManifest = put.uptime
        unresolved = [:]
        if let state = put.known { known = state }
        if isPoint { stored = [] }
    }
}
