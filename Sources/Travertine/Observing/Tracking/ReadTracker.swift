import Observation
import Synchronization
import TravertineStore

/// What `withObservationTracking` reads in a session, and how it is notified (Live 2.4).
///
/// One registrar serves the session; a key path of it names a property of an object, or all objects
/// of a type. What is read is noted as well (`TrackedReads`), so that a report asks the registrar
/// about little else. Used on the session's confinement; commits only send a block there.
final class ReadTracker: Observable, @unchecked Sendable {
    /// A property of an object, whether it is there, or all objects of a type.
    struct Place: Hashable {
        let type: UInt32
        let key: UInt64
        let property: UInt32

        /// All objects of a type.
        static func all(ofType type: UInt32) -> Place {
            Place(type: type, key: .max, property: .max)
        }

        /// Whether an object is there.
        static func existence(of key: UInt64, ofType type: UInt32) -> Place {
            Place(type: type, key: key, property: existenceProperty)
        }

        /// In one step, since the registrar hashes every place that is read.
        func hash(into hasher: inout Hasher) {
            hasher.combine(key ^ UInt64(type) << 48 ^ UInt64(property) << 32)
        }

        /// Numbers of properties begin with 1.
        static var existenceProperty: UInt32 { 0 }
    }

    private let registrar = ObservationRegistrar()
    private weak let session: RealmSession?
    private let confinement: Confinement
    /// The version that was reported last, or in which something was read first.
    private var reportedVersion: Snapshot?
    private var subscription: CommitSignal.Subscription?
    private let isScheduled = Atomic<Bool>(false)
    private var reads = TrackedReads()
    /// What was read in the transaction that is open: its values are in no version.
    private var readInTransaction: Set<Place> = []
    /// Whether an invalidation is to be notified of, and whether that is being done.
    private var isInvalid = false
    private var isNotifying = false
    private let validity: KeyPath<ReadTracker, Bool> = \.isValid

    init(_ session: RealmSession) {
        self.session = session
        confinement = session.confinement
    }

    /// What a key path leads to that stands for whatever was read.
    var isValid: Bool { true }

    /// What key paths of places lead to.
    subscript(place: Place) -> Bool { false }

    /// Something is read.
    func read(_ place: Place) {
        if reportedVersion == nil { begin() }
        if session?.transaction != nil { readInTransaction.insert(place) }
        reads.insert(place)
        registrar.access(self, keyPath: reads.keyPath(of: place))
        registrar.access(self, keyPath: validity)
    }

    private func begin() {
        guard let session else { return }
        do {
            reportedVersion = try session.shownOrBaseVersion()
        } catch {
            session.note(error)
            return
        }
        guard subscription == nil, confinement.takesWork else { return }
        subscription = session.shared.subscribe { [weak self] in self?.schedule() }
        // For what was committed before the subscription.
        schedule()
    }

    /// Sends a block to the confinement, unless one is under way. Any thread.
    private func schedule() {
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        let isSent = confinement.enqueue { [self] in
            isScheduled.store(false, ordering: .releasing)
            session?.refreshTracked()
        }
        if !isSent { isScheduled.store(false, ordering: .releasing) }
    }

    /// Shows and reports soon what waited for the end of a transaction or of a block.
    func wake() {
        if subscription != nil { schedule() }
    }

    /// Notifies of what was read in the transaction that has ended: a value may have been undone
    /// that no version shows.
    func reportTransaction() {
        // Code that is called may write, and report that.
        let places = readInTransaction
        readInTransaction = []
        for place in places { notify(place) }
    }

    /// Lets go of the version that was reported last, and notifies of everything that was read,
    /// since no later version is compared with that one.
    func invalidate() {
        reportedVersion = nil
        readInTransaction = []
        isInvalid = true
        // Who is notified is tracked until its block has returned, and may invalidate again in it.
        if isNotifying { return }
        isNotifying = true
        defer { isNotifying = false }
        while isInvalid {
            isInvalid = false
            registrar.withMutation(of: self, keyPath: validity) {}
        }
    }

    /// Reports what differs between the version that was reported last and the one that is shown.
    func report(_ version: Snapshot, _ session: RealmSession) throws {
        guard let reportedVersion, !reportedVersion.isSameVersion(as: version) else { return }
        let cache = session.shared.storedTypesCache
        let types = try cache.types(of: version).schema.types
        // Changes of embedded objects are changes of their owners, too.
        let changes = try ObjectChanges(
            from: reportedVersion, to: version,
            types: Set(types.filter { $0.isEmbedded || reads.has($0.number) }.map(\.number)),
            links: Set(types.filter { reads.hasWhole($0.number) }.flatMap(\.origins)),
            cache: cache)
        // Code that is called may write, and report that.
        self.reportedVersion = version
        for (number, type) in changes.types {
            if let read = reads.properties(ofType: number) { notify(type, number, read) }
            notifyWhole(number)
        }
        for origin in changes.links.keys where changes.types[origin.type] == nil {
            notifyWhole(origin.type)
        }
    }

    /// Notifies of the changed objects of a type that may have been read.
    private func notify(
        _ changes: ObjectChanges.OfType, _ type: UInt32, _ read: PropertyNumbers
    ) {
        for modified in changes.modified
        where (modified.properties.intersects(read) || modified.owned.intersects(read))
            && reads.mayHave(modified.key, ofType: type)
        {
            for property in read.all
            where modified.properties.contains(property) || modified.owned.contains(property) {
                notify(Place(type: type, key: modified.key, property: property))
            }
        }
        for key in changes.deleted where reads.mayHave(key, ofType: type) {
            for property in read.all { notify(Place(type: type, key: key, property: property)) }
        }
        guard read.contains(Place.existenceProperty) else { return }
        for key in changes.inserted where reads.mayHave(key, ofType: type) {
            notify(.existence(of: key, ofType: type))
        }
    }

    private func notifyWhole(_ type: UInt32) {
        if reads.hasWhole(type) { notify(.all(ofType: type)) }
    }

    private func notify(_ place: Place) {
        registrar.withMutation(of: self, keyPath: reads.keyPath(of: place)) {}
    }
}

extension StoredObjectType {
    /// Its properties that link.
    fileprivate var origins: [ObjectChanges.Origin] {
        properties.filter { $0.backlinks != .absent }.map {
            ObjectChanges.Origin(type: number, property: $0.number)
        }
    }
}

extension RealmSession {
    /// The version that is shown; in a transaction the one that it began with.
    fileprivate func shownOrBaseVersion() throws -> Snapshot {
        if let transaction {
            return try transaction.baseSnapshot(verification: configuration.verification)
        }
        return try shownVersion()
    }

    /// What the block does that is sent after commits.
    fileprivate func refreshTracked() {
        checkThread()
        if postponeDelivery() || isWriting || !observations.refreshesItself { return }
        do { _ = try refresh() } catch { note(error) }
    }

    /// Notifies who tracks what it read, of the changes up to the version that is shown.
    func reportToTracker() {
        guard let tracker, !isWriting else { return }
        tracker.reportTransaction()
        if isWriting { return }
        do {
            try tracker.report(try shownVersion(), self)
        } catch {
            note(error)
        }
    }

    /// The value of a property of a handle whose reads are tracked.
    @inline(never)
    func trackedSource(_ object: ObjectBase, _ slot: Int) -> PropertySource {
        guard let tracker, let row = object._row else { return .nothing }
        let table = object.table
        tracker.read(
            ReadTracker.Place(
                type: table.stored.number, key: object.key,
                property: table.properties[slot].number))
        let bytes = UnsafeRawBufferPointer(start: row, count: object._rowByteCount)
        do {
            let binding = try table.binding(of: bytes)
            return .value(
                table.value(
                    at: slot,
                    stored: value(
                        at: binding.places[slot], of: table.slots[slot].type, row,
                        object._rowByteCount)))
        } catch {
            damage = error
            return .nothing
        }
    }

    /// Notes that a property of an object is read.
    func trackProperty(_ object: ObjectBase, _ slot: Int) {
        tracker?.read(
            ReadTracker.Place(
                type: object.table.stored.number, key: object.key,
                property: object.table.properties[slot].number))
    }

    /// Notes that it is asked whether an object is there; of one that is invalid for ever, nothing.
    func trackExistence(_ object: ObjectBase) {
        guard let tracker, snapshot != nil || transaction != nil,
            object.invalidationCount == counts.invalidationCount
        else { return }
        tracker.read(.existence(of: object.key, ofType: object.table.stored.number))
    }

    /// Notes that objects of a type are read as a whole.
    func trackObjects(ofType number: UInt32) { tracker?.read(.all(ofType: number)) }
}

extension ResultsState {
    /// Notes that the results are read.
    func track() {
        if trackedTypes?.schemaChangeCount != session.schemaChangeCount {
            trackedTypes = (
                WatchedResults(self, []).types, session.schemaChangeCount
            )
        }
        for number in trackedTypes?.types ?? [] { session.trackObjects(ofType: number) }
    }
}
