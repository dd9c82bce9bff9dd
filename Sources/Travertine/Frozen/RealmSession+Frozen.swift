import CPlatform
import TravertineStore

/// Frozen sessions: those of a version that never changes.
extension RealmSession {
    /// Whether the session shows one version for ever.
    var isFrozen: Bool { frozen != nil }

    /// Whether the session belongs to the calling thread.
    @inline(__always)
    var isHere: Bool { generation.pointee.thread == travertine_current_thread() }

    /// The session to read with on the calling thread: this one, or the thread's own of the same
    /// frozen version. Of a live session of another thread it is what `checkThread` says.
    @inline(__always)
    var here: RealmSession { isHere ? self : elsewhere }

    /// As `here`, for a session of another thread.
    @inline(never)
    private var elsewhere: RealmSession {
        guard let frozen else {
            checkThread()
            return self
        }
        return frozen.session(for: self)
    }

    /// Whether it is read on another thread than its own, which is allowed: it is frozen.
    @inline(__always)
    var isFrozenElsewhere: Bool { !isHere && isFrozen }

    /// Whether what belongs to the other session is what this one shows: it is the same one, or
    /// both are of one frozen version.
    @inline(__always)
    func isSame(as other: RealmSession?) -> Bool {
        other === self || isSameVersion(as: other)
    }

    @inline(never)
    private func isSameVersion(as other: RealmSession?) -> Bool {
        guard let frozen, let other = other?.frozen else { return false }
        return frozen.isSame(as: other)
    }

    /// Stops for what changes or observes something frozen.
    func stopForFrozen() -> Never {
        misuse(
            "The realm is frozen: it shows one version for ever, and can't be changed or observed. "
                + "Call `thaw()` on it, or on its object or collection, on the thread which is to do "
                + "that.")
    }

    /// Stops for a write or an observation of a frozen realm.
    @inline(__always)
    func requireLive() { if isFrozen { stopForFrozen() } }

    /// Stops for a frozen object where a live one of this realm is needed.
    func requireThawed(_ object: ObjectBase) {
        guard object.isFrozen, !isFrozen else { return }
        misuse(
            "The \(object.table.className) is frozen: it can't be added, linked to or deleted. Call "
                + "`thaw()` on it first.")
    }

    // MARK: Freezing

    /// A session that goes on showing what this one shows now.
    func freeze() -> RealmSession {
        if isFrozen { return self }
        checkThread()
        require(
            !isWriting,
            "A realm can't be frozen inside a write transaction, nor anything of it handed over: what "
                + "it shows is not committed. Do it after the transaction.")
        do {
            _ = try access
        } catch {
            misuse("The realm at \(shared.fileURL.path) can't be frozen: \(error)")
        }
        if let copy = version.frozenCopy { return copy }
        guard let snapshot else { misuse("a realm that was read shows no snapshot") }
        let made = FrozenVersion(shared, configuration, snapshot).makeSession()
        version.frozenCopy = made
        return made
    }

    /// Shows a version that is at least as new as a snapshot of the same store.
    func advance(to other: Snapshot) throws {
        if isWriting { return }
        if let snapshot, snapshot.isAtLeast(other) { return }
        _ = try access
        if let snapshot, snapshot.isAtLeast(other) { return }
        if observations.deliveryDepth > 0 {
            _ = try refreshBeforeWriting()
        } else {
            _ = try refresh()
        }
    }

    // MARK: Tables

    /// The table that shows what the table of another session of the store does.
    func table(matching other: TableState) -> TableState? {
        if other.session === self { return other }
        let number = other.stored.number
        guard let type = other.classInfo?.type else { return table(number: number) }
        let own = table(of: type)
        if own.stored.number == number || own.isGone { return own }
        return table(number: number).flatMap { view(of: $0, as: type) }
    }
}
