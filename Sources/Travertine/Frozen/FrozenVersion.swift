import CPlatform
import Locks
import Synchronization
import TravertineStore

/// One version of a realm that is shown for ever, and the sessions in which threads read it.
///
/// Frozen objects and collections belong to a session, as live ones do. It is the session of the
/// thread that made them; another thread reads through its own session of the version, so that no
/// cache of a session is ever used by two threads at once (Z2).
///
/// Lifetimes: a session retains its version, and a version pins the snapshot. The session that a
/// thread gets when it reads what belongs to an older session is retained by that one (`kept`),
/// which gives a graph without cycles: what freezing made goes with the last frozen reference.
final class FrozenVersion: @unchecked Sendable {
    let shared: SharedStore
    let configuration: Realm.Configuration
    let snapshot: Snapshot
    /// Whether types are read as they are stored, whatever classes the process has for them.
    let isWithoutClasses: Bool

    private struct State: @unchecked Sendable {
        /// The newest session of each thread. Not weak references, as in `SharedStore`: a session
        /// removes itself when it is released.
        var sessions: [UInt: Unmanaged<RealmSession>] = [:]
        /// By the number of a session: the younger sessions that were made to read what is its.
        var kept: [UInt64: [Kept]] = [:]
        /// The schema of the version, once it was asked for.
        var schema: StoredSchema?
        /// The stored types that were looked up; nil for one that the version does not have.
        var types: [UInt32: StoredObjectType?] = [:]
    }

    private struct Kept {
        let thread: UInt
        let session: RealmSession
    }

    /// Carries a session out of the lock: it stays on its thread.
    private struct Reference: @unchecked Sendable {
        let session: RealmSession
    }

    private let state = Locked(State())

    init(
        _ shared: SharedStore, _ configuration: Realm.Configuration, _ snapshot: Snapshot,
        isWithoutClasses: Bool = false
    ) {
        self.shared = shared
        self.isWithoutClasses = isWithoutClasses
        self.configuration = configuration
        self.snapshot = snapshot
        shared.frozenCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    deinit { shared.frozenCount.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    /// Whether both show the same commit of the same store.
    func isSame(as other: FrozenVersion) -> Bool {
        self === other
            || shared === other.shared && snapshot.isSameVersion(as: other.snapshot)
    }

    // MARK: Sessions

    /// A new session of the calling thread, which nothing but the caller retains.
    func makeSession() -> RealmSession {
        let session = RealmSession(self)
        let reference = Reference(session: session)
        state.withLock { state in
            state.sessions[session.generation.pointee.thread] = Unmanaged.passUnretained(
                reference.session)
        }
        return session
    }

    /// The calling thread's session, to read what belongs to another thread's; made if there is
    /// none.
    func session(for other: RealmSession) -> RealmSession {
        let cache = ThreadCache.current
        if let known = cache.object(for: other.number) {
            return unsafeDowncast(known, to: RealmSession.self)
        }
        let thread = UInt(travertine_current_thread())
        let found = state.withLock { state -> Reference? in
            guard let found = state.sessions[thread],
                travertine_try_retain(found.toOpaque()) != nil
            else { return nil }
            return Reference(session: found.takeRetainedValue())
        }
        let session = found?.session ?? makeSession()
        // A session retains younger ones only: no cycles.
        guard session.number > other.number else { return session }
        let reference = Reference(session: session)
        state.withLock { state in
            state.kept[other.number, default: []].append(
                Kept(thread: thread, session: reference.session))
        }
        cache.enter(session, for: other.number)
        cache.enter(self)
        return session
    }

    /// Removes a session that is being released.
    func forget(_ session: RealmSession) {
        let identity = Unmanaged.passUnretained(session).toOpaque()
        let (thread, number) = (session.generation.pointee.thread, session.number)
        // Released after the lock: they come here in turn.
        let kept = state.withLock { state -> [Kept]? in
            if state.sessions[thread]?.toOpaque() == identity { state.sessions[thread] = nil }
            return state.kept.removeValue(forKey: number)
        }
        withExtendedLifetime(kept) {}
    }

    /// Releases the sessions that were made for a thread that ends.
    func leave(_ thread: UInt) {
        let released = state.withLock { state -> [Kept] in
            var released: [Kept] = []
            state.sessions[thread] = nil
            for number in state.kept.keys {
                released += state.kept[number]?.filter { $0.thread == thread } ?? []
                state.kept[number]?.removeAll { $0.thread == thread }
            }
            return released
        }
        withExtendedLifetime(released) {}
    }

    // MARK: Types

    /// The stored types as the version has them.
    var schema: StoredSchema {
        if let known = state.withLock({ $0.schema }) { return known }
        do {
            let loaded = try StoredSchema.load(snapshot.access, keyspace: shared.schemaKeyspace)
            let schema = loaded ?? StoredSchema()
            state.withLock { $0.schema = schema }
            return schema
        } catch {
            misuse(
                "The types of the frozen realm at \(shared.fileURL.path) can't be read: \(error). Run "
                    + "`travertine fsck` on the directory.")
        }
    }

    /// A stored type as the version has it; nil if it has none of the number.
    func storedType(number: UInt32) throws -> StoredObjectType? {
        if let known = state.withLock({ $0.types[number] }) { return known }
        let found = try record(ofType: number) { record in
            // What another realm of the store knows of the record needs no decoding.
            try shared.description(ofType: number, record)?.stored
                ?? decoded(record)
        }
        state.withLock { $0.types[number] = .some(found ?? nil) }
        return found ?? nil
    }

    /// The description of a stored type of the version for a class.
    func description(
        of stored: StoredObjectType, _ classInfo: ClassInfo?
    ) throws -> TypeDescription {
        let found = try record(ofType: stored.number) { record in
            shared.description(of: stored, Array(record), classInfo)
        }
        return found ?? TypeDescription(stored, classInfo: classInfo)
    }

    private func record<Result>(
        ofType number: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        let found = try StoredSchema.typeKey(number).withBytes { (key) throws(StoreError) in
            try snapshot.access.value(forKey: key, in: shared.schemaKeyspace)
        }
        return try found.map(body)
    }

    private func decoded(_ record: UnsafeRawBufferPointer) throws -> StoredObjectType {
        do {
            return try StoredObjectType(encoded: record)
        } catch {
            throw Realm.Error.damagedSchema
        }
    }
}
