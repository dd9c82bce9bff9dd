import TravertineStore

/// The asynchronous write transactions of a realm: those that wait for their turn, in order, and
/// those that wait for the disk. Used on the realm's confinement only.
struct AsyncWrites {
    struct Pending {
        let id: Realm.AsyncTransactionId
        /// Called in the transaction; commits or cancels it, or leaves it open to be cancelled.
        let body: () -> Void
        /// Called instead where the transaction can't begin.
        let fail: (any Error) -> Void
    }

    var pending: [Pending] = []
    /// What is called when a commit is on the disk.
    var completions: [Realm.AsyncTransactionId: ((any Error)?) -> Void] = [:]
    /// Commits that wait for the disk.
    var committingCount = 0
    /// Calls of `asyncWrite` that have not returned.
    var taskCount = 0
    /// What waits in the store's line of writers for the first pending transaction.
    var guest: Guest?
    /// Which call of the guest counts: others are of guests that have left the line.
    var guestID: Realm.AsyncTransactionId = 0
    /// Keeps the realm and its actor while pending transactions wait for the end of one that could
    /// not begin.
    var waiting: AnyObject?
    private var lastID: Realm.AsyncTransactionId = 0

    /// Whether a transaction of the realm may be waiting for the disk, after which it is shown.
    var isAtWork: Bool { committingCount > 0 || taskCount > 0 }

    var isIdle: Bool { pending.isEmpty && committingCount == 0 && taskCount == 0 }

    mutating func makeID() -> Realm.AsyncTransactionId {
        lastID &+= 1
        return lastID
    }
}

/// Carries a realm to its own confinement, through code that runs elsewhere, and keeps its actor
/// until then: a write must be made, and a commit reported, when nobody else has the actor any
/// more. Lets go of the realm there: whatever holds this may be the work of the store itself, which
/// could not close the store.
private final class Carried: @unchecked Sendable {
    private let held: Unmanaged<RealmSession>
    private let actor: (any Actor)?

    init(_ session: RealmSession) {
        held = .passRetained(session)
        actor = session.confinement.actor
    }

    deinit {
        let confinement = held._withUnsafeGuaranteedRef { $0.confinement }
        // The only reference goes with the block: this has none left that could be the last one.
        nonisolated(unsafe) let held = held
        confinement.enqueue { held.release() }
    }

    var session: RealmSession { held._withUnsafeGuaranteedRef { $0 } }
}

extension RealmSession {
    /// Stops where nothing can be sent to the realm. Nor can it be to an actor that has ended,
    /// where `checkThread` stops.
    func requireAsyncWrites(_ function: StaticString) {
        requireLive()
        checkThread()
        require(
            confinement.takesWork,
            "\(function) needs a realm of a queue or an actor; this one is confined to "
                + "\(confinement.description). Open it with `Realm(queue:)` or "
                + "`try await Realm.open()`.")
    }

    /// Enters a transaction, which begins when it is its turn.
    func enqueueWrite(
        _ body: @escaping () -> Void, orFail fail: @escaping (any Error) -> Void
    ) -> Realm.AsyncTransactionId {
        let id = asyncWrites.makeID()
        asyncWrites.pending.append(AsyncWrites.Pending(id: id, body: body, fail: fail))
        comeForPendingWrite()
        return id
    }

    /// Comes for the first pending transaction soon. The guest keeps the realm and its actor until
    /// it has begun.
    func comeForPendingWrite() {
        if asyncWrites.pending.isEmpty || asyncWrites.guest != nil { return }
        if asyncWrites.waiting != nil, scope.isUnbegun { return }
        asyncWrites.waiting = nil
        let carried = Carried(self)
        let id = asyncWrites.makeID()
        asyncWrites.guestID = id
        let come: @Sendable () -> Void = { [confinement] in
            confinement.enqueue { carried.session.beginPendingWrite(id, carried) }
        }
        asyncWrites.guest = Guest(writer, call: come)
        come()
    }

    /// Begins the first pending transaction if it is its turn; waits on if it is not.
    private func beginPendingWrite(_ id: Realm.AsyncTransactionId, _ carried: Carried) {
        guard asyncWrites.guest != nil, asyncWrites.guestID == id else { return }
        checkThread()
        reportBeforeAsyncWrite()
        guard let guest = asyncWrites.guest, asyncWrites.guestID == id else { return }
        if asyncWrites.pending.isEmpty { return leaveLine() }
        if scope.isUnbegun {
            leaveLine()
            return waitForUnbegun(carried)
        }
        let hasBegun: Bool
        do {
            hasBegun = try throwingRealmErrors {
                guard let begun = try shared.beginWrite(guest) else { return false }
                do {
                    try throwDamage()
                    try checkVersionCount()
                    try begin(begun, after: observations.isEmpty ? nil : shownVersion())
                } catch {
                    begun.rollback()
                    throw error
                }
                return true
            }
        } catch {
            asyncWrites.guest = nil
            asyncWrites.pending.removeFirst().fail(error)
            return comeForPendingWrite()
        }
        guard hasBegun else { return }
        asyncWrites.guest = nil
        asyncWrites.pending.removeFirst().body()
        if isWriting { cancelWrite() }
        comeForPendingWrite()
    }

    /// Lets pending transactions wait for the end of one that could not begin.
    private func waitForUnbegun(_ carried: Carried) {
        asyncWrites.waiting = carried
        let reason = failure.map { "\($0)" } ?? ""
        Logger.log(
            .warn,
            "\(shared.fileURL.path): \(asyncWrites.pending.count) asynchronous write(s) on "
                + "\(confinement.description) wait for the end of a write transaction that could not "
                + "begin: call `commitWrite` or `cancelWrite`. \(reason)")
    }

    private func leaveLine() {
        guard let guest = asyncWrites.guest else { return }
        asyncWrites.guest = nil
        let gate = shared.store.gate
        if !gate.withdraw(guest) { gate.decline(guest) }
    }

    /// Removes a pending transaction, or what is to be called after a commit.
    func cancelAsyncWrite(_ id: Realm.AsyncTransactionId) {
        asyncWrites.pending.removeAll { $0.id == id }
        asyncWrites.completions[id] = nil
        if asyncWrites.pending.isEmpty {
            asyncWrites.waiting = nil
            leaveLine()
        }
    }

    /// Commits the open transaction without waiting; `completion` is called on the confinement once
    /// it is on the disk, or with what failed.
    func commitAsyncWrite(
        _ completion: @escaping ((any Error)?) -> Void
    ) -> Realm.AsyncTransactionId {
        let id = asyncWrites.makeID()
        asyncWrites.completions[id] = completion
        asyncWrites.committingCount += 1
        let carried = Carried(self)
        let report: @Sendable ((any Error)?) -> Void = { [confinement, fileURL = shared.fileURL] in
            let error = ($0 as? StoreError).map { Realm.Error($0, fileURL: fileURL) } ?? $0
            confinement.enqueue { carried.session.didCommit(id, error) }
        }
        do {
            try commitWrite(ending: {
                try $0.commitWithoutWaiting(durability: configuration.durability, report)
            })
        } catch {
            report(error)
        }
        return id
    }

    private func didCommit(_ id: Realm.AsyncTransactionId, _ error: (any Error)?) {
        asyncWrites.committingCount -= 1
        showAsyncCommit()
        asyncWrites.completions.removeValue(forKey: id)?(error)
    }

    /// Shows and reports what became durable, before code goes on that waited for it.
    func showAsyncCommit() {
        do { _ = try refresh() } catch { note(error) }
    }

    /// Reports the newest published version, as `beginWrite` does; a failure is thrown when the
    /// transaction begins.
    func reportBeforeAsyncWrite() {
        if isWriting || observations.isEmpty { return }
        do { _ = try refreshBeforeWriting() } catch { damage = error }
    }
}
