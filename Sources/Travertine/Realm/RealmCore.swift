import CPlatform
import TravertineStore

/// A realm on one thread: the snapshot it shows, its write transaction, and its tables.
///
/// `Realm` is a thin handle of it. States: *reading* (a snapshot) → *writing* (`beginWrite`) →
/// *reading* again (`commitWrite`, `cancelWrite`). `invalidate` goes back to *reading* without a
/// snapshot: the next read takes one. Objects, collections and results note how often the realm had
/// been invalidated when they were made, and are invalidated for good once it was again.
public final class _RealmCore {
    let shared: SharedStore
    let configuration: Realm.Configuration
    let clock: UnsafeMutablePointer<_Clock>
    @exclusivity(unchecked) private(set) var snapshot: Snapshot? {
        didSet { shown = snapshot.map { Unmanaged.passUnretained($0) } }
    }
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction? {
        didSet { open = transaction.map { Unmanaged.passUnretained($0) } }
    }
    /// The snapshot and the transaction, for uses that end before these do: nothing is counted.
    @exclusivity(unchecked) private var shown: Unmanaged<Snapshot>?
    @exclusivity(unchecked) private(set) var open: Unmanaged<WriteTransaction>?
    @exclusivity(unchecked) private var tablesByType: [ObjectIdentifier: ObjectTable] = [:]
    @exclusivity(unchecked) private var tablesByNumber: [UInt32: ObjectTable] = [:]
    /// Every table that was made: handles refer to them unretained for as long as the core lives,
    /// also to one without class that another with its class took the place of.
    @exclusivity(unchecked) private var tables: [ObjectTable] = []
    /// Tables of types that went with a rolled-back transaction, for the handles that have them.
    @exclusivity(unchecked) private var goneTables: [ObjectTable] = []
    /// Counts how often types went with a rolled-back transaction, and results with `invalidate`.
    @exclusivity(unchecked) private(set) var goneCount = 0
    /// What the transaction installed of classes that it met first.
    @exclusivity(unchecked) private(set) var met: MetClasses?
    /// Counts how often links were made varying while the realm was open.
    @exclusivity(unchecked) var variationCount = 0
    /// The table of a class that was asked for last.
    @exclusivity(unchecked) private var lastTable: Unmanaged<ObjectTable>?
    @exclusivity(unchecked) private var lastType: ObjectIdentifier?
    /// Tables of classes that can't be installed.
    @exclusivity(unchecked) private var missingTables: [ObjectIdentifier: ObjectTable] = [:]
    /// Tables of classes with those derived from them, and how many classes were open then.
    @exclusivity(unchecked) private var families:
        [ObjectIdentifier: (tables: [ObjectTable], classCount: Int)] = [:]
    /// Counts the calls of `invalidate`.
    @exclusivity(unchecked) private(set) var invalidationCount: UInt32 = 0
    /// Whether `beginWrite` failed: until the commit throws why, or cancelling forgets it, changes do
    /// nothing.
    @exclusivity(unchecked) private var isUnbegun = false
    /// The first failure of the write transaction; later changes do nothing, the commit throws it.
    @exclusivity(unchecked) var failure: (any Error)?
    /// Damage met by a property getter; the next throwing call throws it.
    @exclusivity(unchecked) var damage: (any Error)?
    /// Counts changes of rows in place, which leave the generation as it is.
    @exclusivity(unchecked) var changeCount: UInt64 = 0
    let encoder = _RowEncoder()
    @exclusivity(unchecked) var scratchKey = IndexKey()
    /// Nodes of large collections that the transaction has in memory.
    @exclusivity(unchecked) var nodes = CollectionNodes()
    /// Elements that were appended to a large list and are not stored yet.
    @exclusivity(unchecked) var waitingElements: WaitingElements?
    /// Where an element of a large collection was found last.
    let finger = CollectionFinger()
    /// The links to one object as they were found last.
    @exclusivity(unchecked) var linksFound: LinksFound?
    /// Counts the deletions of objects, and the changes to another state.
    @exclusivity(unchecked) var membershipCount: UInt64 = 0
    #if DEBUG
        /// What was read, for tests of what methods cost.
        @exclusivity(unchecked) var visits = (nodes: 0, rows: 0, links: 0)
    #endif
    /// Embedded objects that lost an owner; deleted at the end of the change unless they got
    /// another.
    @exclusivity(unchecked) var orphans: [Orphan] = []
    /// The types of which every object is being deleted.
    @exclusivity(unchecked) var emptiedTypes: Set<UInt32> = []
    /// Objects whose required links are looked at by the commit.
    @exclusivity(unchecked) var requiredChecks: Set<RequiredCheck> = []
    /// The number of the last write transaction of this realm.
    @exclusivity(unchecked) private var lastTransaction: UInt64 = 0
    /// Where the links of large lists wait; right as long as nobody else writes.
    @exclusivity(unchecked) var waitingLists = WaitingLists()
    /// The keyspace of such links as a transaction knew it after so many changes of its keyspaces.
    @exclusivity(unchecked) var unresolvedKeyspace:
        (transaction: UInt64, changes: Int, id: UInt32?)?
    /// Counts the changes of what tables know of their types.
    @exclusivity(unchecked) var tableChangeCount: UInt64 = 0
    /// Memory for the links that deleting an object takes out.
    @exclusivity(unchecked) var spareLinks: [(source: UInt64, count: Int)] = []
    /// What unique indexes have to be looked at for by the commit.
    @exclusivity(unchecked) var uniqueChecks = UniqueChecks()
    /// The policy of the dynamic object that is being made, which what it links to has as well; nil
    /// where none is.
    @exclusivity(unchecked) var linkedUpdate: Realm.UpdatePolicy?
    /// Whether the row of an object that is being added is made just now.
    @exclusivity(unchecked) var isAdding = false
    /// The keys of objects that are being added, for others with their primary keys.
    @exclusivity(unchecked) var pendingKeys: [PendingKey: UInt64] = [:]
    /// Objects that were added and keep their values until nothing can refuse them any more.
    @exclusivity(unchecked) var keptObjects: [WaitingObject] = []
    /// How many parts of the transaction go on whose objects do.
    @exclusivity(unchecked) var keepsAddedValues = 0
    /// Counts the rows that adding objects stored.
    @exclusivity(unchecked) var insertionCount: UInt64 = 0
    /// The number of the first asymmetric object that the transaction added, and of the next.
    @exclusivity(unchecked) var ingestFirst: UInt64?
    @exclusivity(unchecked) var ingestNext: UInt64?
    /// How many loops and `write` blocks go on that let handles stand for several objects.
    @exclusivity(unchecked) var reuseDepth = 0
    /// The tables that have such handles.
    @exclusivity(unchecked) var keepers: [ObjectTable] = []
    /// Pieces of collections made for the row that is about to be encoded.
    @exclusivity(unchecked) var preparedPieces: [Int: [UInt8]] = [:]
    /// The embedded objects that values of the object are stored as whose row is made just now, by slot.
    @exclusivity(unchecked) var madeLinks: [Int: _MadeLinks]?

    init(_ shared: SharedStore, _ configuration: Realm.Configuration) {
        self.shared = shared
        self.configuration = configuration
        clock = .allocate(capacity: 1)
        clock.initialize(
            to: _Clock(
                generation: _Clock.firstGeneration, thread: UInt(travertine_current_thread())))
    }

    deinit {
        transaction?.rollback()
        shared.forget(self)
        clock.deallocate()
    }

    // MARK: State

    /// Stops when the calling thread is not the realm's.
    @inline(__always)
    func checkThread() {
        if clock.pointee.thread != travertine_current_thread() { stopForWrongThread() }
    }

    @inline(never)
    private func stopForWrongThread() -> Never {
        misuse(
            "Realm accessed from incorrect thread. Open the realm again on this thread with "
                + "`Realm(configuration:)` and look the object up there by its primary key.")
    }

    /// Makes every cached row pointer be looked up again.
    @inline(__always)
    func advance() { clock.pointee.generation &+= 1 }

    /// Whether a write transaction is open, or would be if beginning it had not failed.
    var isWriting: Bool { transaction != nil || isUnbegun }

    /// The read path over what the realm shows now.
    var access: ReadAccess {
        get throws {
            if let open {
                if waitingElements != nil { try storeWaitingElements() }
                return open._withUnsafeGuaranteedRef { $0.access }
            }
            if let shown { return shown._withUnsafeGuaranteedRef { $0.access } }
            return try show(try newestSnapshot()).access
        }
    }

    private func newestSnapshot() throws(StoreError) -> Snapshot {
        try shared.store.snapshot(verification: configuration.verification)
    }

    @discardableResult
    private func show(_ snapshot: Snapshot) throws -> Snapshot {
        self.snapshot = snapshot
        forgetWhatWasFound()
        advance()
        try renewTables(snapshot.access)
        return snapshot
    }

    /// Shows the newest commit; true if that is another than before.
    func refresh() throws -> Bool {
        if isWriting { return false }
        let newest = try newestSnapshot()
        if let snapshot, snapshot.lsn == newest.lsn { return false }
        try show(newest)
        return true
    }

    /// Gives up the snapshot, so that nothing old is kept; objects, collections and results that there
    /// are by now are invalid for good.
    func invalidate() {
        if isWriting { cancelWrite() }
        snapshot = nil
        invalidationCount &+= 1
        goneCount += 1
        nodes.removeAll()
        forgetRecentHandles()
        forgetWhatWasFound()
        advance()
    }

    /// Frees what is kept of what was found last, and lets results look their objects up again.
    func forgetWhatWasFound() {
        membershipCount &+= 1
        linksFound = nil
        finger.reset()
    }

    /// Throws what a getter met and could not throw.
    func throwDamage() throws {
        if let damage {
            self.damage = nil
            throw damage
        }
    }

    /// Keeps the first failure of the write transaction.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    // MARK: Tables

    /// The table of a class, which lives as long as the realm's core: nothing is counted.
    @inline(__always)
    func tableReference(of type: ObjectBase.Type) -> Unmanaged<ObjectTable> {
        if let lastTable, lastType == ObjectIdentifier(type) { return lastTable }
        return Unmanaged.passUnretained(otherTable(of: type))
    }

    /// The table of a class.
    @inline(__always)
    func table(of type: ObjectBase.Type) -> ObjectTable {
        tableReference(of: type).takeUnretainedValue()
    }

    @inline(never)
    private func otherTable(of type: ObjectBase.Type) -> ObjectTable {
        if let table = tablesByType[ObjectIdentifier(type)] {
            lastTable = Unmanaged.passUnretained(table)
            lastType = ObjectIdentifier(type)
            return table
        }
        let info = ClassInfo.of(type)
        if let stored = storedType(named: info.storedName), isOpened(info) {
            return add(ObjectTable(self, stored, classInfo: info))
        }
        require(
            configuration.objectTypes == nil,
            "Object type '\(info.className)' is not managed by the Realm. Add it to "
                + "`objectTypes` of the configuration.")
        do {
            try meet(info)
            if let stored = storedType(named: info.storedName), isOpened(info) {
                return add(ObjectTable(self, stored, classInfo: info))
            }
        } catch {
            if transaction == nil { damage = error } else { fail(error) }
        }
        return missingTable(info)
    }

    /// The table of a class, then those of the classes derived from it in the order of their names.
    func tables(ofClassesFrom base: ObjectBase.Type) -> [ObjectTable] {
        let own = table(of: base)
        let classCount = shared.openedClassCount + (met?.classes.count ?? 0)
        if let known = families[ObjectIdentifier(base)], known.classCount == classCount {
            return known.tables
        }
        let derived =
            openedClasses
            .filter { $0.type != base && base.isBase(of: $0.type) }
            .sorted { $0.storedName < $1.storedName }.map { table(of: $0.type) }
        families[ObjectIdentifier(base)] = ([own] + derived, classCount)
        return [own] + derived
    }

    /// A table without objects, of a class that can't be installed, or is not stored in a realm that is
    /// only read.
    private func missingTable(_ info: ClassInfo) -> ObjectTable {
        if let known = missingTables[ObjectIdentifier(info.type)] { return known }
        let table = ObjectTable(self, StoredObjectType(missing: info), classInfo: info)
        table.isGone = true
        missingTables[ObjectIdentifier(info.type)] = table
        return table
    }

    /// Installs a class that was not in the process, or not discovered, when the realm was opened,
    /// with those that it leads to: as a part of the transaction, or in one of its own.
    private func meet(_ info: ClassInfo) throws {
        let known = openedClasses
        let new = ClassDiscovery.newClasses(from: info, known: known)
        if failure != nil { return }
        guard let transaction else {
            try shared.prepare(known + new, configuration)
            _ = try refresh()
            return
        }
        try storeWaitingElements()
        try nodes.flush(self)
        let schema = try shared.install(known + new, configuration, in: transaction)
        met = MetClasses(schema: schema, classes: (met?.classes ?? []) + new)
        tableChangeCount &+= 1
        advance()
        try renewTables()
        let pending = LinkVariation.pending(schema, known + new)
        if !pending.isEmpty { try LinkVariation.apply(pending, self) }
    }

    /// Goes back to the classes that were met before a part of the transaction that is undone. Handles
    /// of objects of later ones are invalid from now on; to be met again, these get new tables.
    func forgetMetClasses(since before: MetClasses?) {
        let undone = met?.classes.dropFirst(before?.classes.count ?? 0) ?? []
        met = before
        tableChangeCount &+= 1
        if undone.isEmpty { return }
        lastTable = nil
        goneCount += 1
        families.removeAll()
        for info in undone { tablesByType[ObjectIdentifier(info.type)] = nil }
        for table in tables {
            let number = table.stored.number
            if storedType(named: table.stored.name)?.number == number { continue }
            tablesByNumber[number] = nil
            table.stored = table.stored.withoutKeyspaces
            table.isGone = true
            goneTables.append(table)
        }
        tables.removeAll { $0.isGone }
        for table in tablesByNumber.values where undone.contains(where: { $0 === table.classInfo })
        {
            tablesByNumber[table.stored.number] = nil
        }
    }

    private func add(_ table: ObjectTable) -> ObjectTable {
        if let type = table.classInfo?.type { tablesByType[ObjectIdentifier(type)] = table }
        tablesByNumber[table.stored.number] = table
        tables.append(table)
        lastTable = nil
        do {
            try table.renew(access)
        } catch {
            damage = error
        }
        return table
    }

    /// The table of a stored type, with its class if the realm has one.
    func table(number: UInt32) -> ObjectTable? {
        if let table = tablesByNumber[number] { return table }
        guard let stored = storedType(number: number) else { return nil }
        return add(ObjectTable(self, stored, classInfo: classInfo(storedName: stored.name)))
    }

    /// A table of a stored type that knows nothing of its class, for changing the type itself.
    func tableWithoutClass(number: UInt32) throws -> ObjectTable? {
        guard let stored = storedType(number: number) else { return nil }
        let table = ObjectTable(self, stored, classInfo: nil)
        tables.append(table)
        try table.renew(access)
        return table
    }

    /// The objects of a type without a class seen as ones of a base class; nil if the type lacks
    /// properties of it.
    func view(of table: ObjectTable, as type: ObjectBase.Type) -> ObjectTable? {
        let viewed = tables.first {
            $0.stored.number == table.stored.number && $0.classInfo?.type == type
        }
        if let viewed { return viewed }
        let info = ClassInfo.of(type)
        let names = Set(table.stored.properties.map(\.name))
        guard names.isSuperset(of: info.properties.map(\.storedName)) else { return nil }
        let view = ObjectTable(self, table.stored, classInfo: info)
        tables.append(view)
        return view
    }

    /// Gives a stored type that the transaction changed to every table that has it.
    func change(_ stored: StoredObjectType) {
        for table in tables where table.stored.number == stored.number {
            table.stored = stored
            table.isSchemaChanged = true
        }
        met?.schema.replace(stored)
    }

    func table(named name: String) -> ObjectTable? {
        storedType(named: name).flatMap { table(number: $0.number) }
    }

    /// Reads the stored types again whose records are others than the tables know: what this
    /// version of the store says is the truth, whoever changed it and whether or not it was kept.
    func renewTables() throws { try renewTables(access) }

    private func renewTables(_ access: ReadAccess) throws {
        for table in tables { try table.renew(access) }
    }

    // MARK: Transactions

    func beginWrite() throws {
        checkThread()
        require(
            !isWriting,
            "The Realm is already in a write transaction. Call `commitWrite` or `cancelWrite` "
                + "before beginning another; transactions don't nest.")
        try throwDamage()
        let begun = try shared.store.beginWrite()
        begun.verification = configuration.verification
        do {
            try renewTables(begun.access)
        } catch {
            begun.rollback()
            throw error
        }
        failure = nil
        ingestFirst = nil
        ingestNext = nil
        if begun.number != lastTransaction + 1 { forgetWhatOthersMayChange() }
        lastTransaction = begun.number
        transaction = begun
        snapshot = nil
        forgetWhatWasFound()
        advance()
    }

    /// Begins a write transaction; a failure is kept, so that changes do nothing and the commit throws
    /// it.
    func beginWriteKeepingFailure() {
        do {
            try beginWrite()
        } catch {
            failure = error
            isUnbegun = true
        }
    }

    /// - Parameter finish: called first, for changes that are made beside the realm.
    func commitWrite(_ finish: (WriteTransaction) throws -> Void = { _ in }) throws {
        checkThread()
        if isUnbegun, let failure {
            cancelWrite()
            throw failure
        }
        guard let transaction else {
            misuse(
                "Can't commit a non-existing write transaction: call `beginWrite` first.")
        }
        do {
            if let failure { throw failure }
            try storeWaitingElements()
            try throwDamage()
            try finish(transaction)
            if !requiredChecks.isEmpty { try checkRequiredLinks() }
            if !uniqueChecks.isEmpty { try checkUniqueValues() }
            try storeWaitingElements()
            try nodes.flush(self)
            let changed = tables.filter { $0.isSchemaChanged || $0.needsFloor }
            for table in changed where table.needsFloor { try writeFloor(of: table) }
            if let met {
                transaction.willBeSeen = { [shared, configuration] in
                    shared.enter(met, configuration)
                }
            }
            try transaction.commit(durability: configuration.durability)
            for table in changed where table.isSchemaChanged {
                table.isSchemaChanged = false
                shared.replace(table.stored)
            }
        } catch {
            cancelWrite()
            throw error
        }
        end()
    }

    func cancelWrite() {
        checkThread()
        if isUnbegun {
            isUnbegun = false
            failure = nil
            return
        }
        guard let transaction else {
            misuse(
                "Can't cancel a non-existing write transaction: call `beginWrite` first.")
        }
        transaction.rollback()
        waitingElements = nil
        nodes.removeAll()
        orphans.removeAll()
        forgetWhatOthersMayChange()
        forgetMetClasses(since: nil)
        for table in tables {
            table.needsFloor = false
            table.isSchemaChanged = false
        }
        end()
    }

    /// Forgets what is kept from one transaction to the next: when another realm wrote in between,
    /// or when what it was made of is undone.
    func forgetWhatOthersMayChange() {
        waitingLists.removeAll()
        uniqueChecks.cutValues.removeAll()
    }

    private func end() {
        transaction = nil
        failure = nil
        met = nil
        ingestFirst = nil
        snapshot = nil
        waitingElements = nil
        nodes.removeAll()
        forgetWhatWasFound()
        requiredChecks.removeAll()
        uniqueChecks.removeNotes()
        advance()
    }

    /// Whether a change may go on: nothing in the transaction failed yet. Stops when there is none.
    func mayChange() -> Bool {
        requireWriting()
        return failure == nil
    }

    /// Whether an element may be appended to a list; those that wait go on waiting.
    func mayAppend() -> Bool {
        if !isUnbegun { _ = requireOpenTransaction() } else { checkThread() }
        return failure == nil
    }

    /// Stops when there is no transaction.
    @inline(__always)
    func requireWriting() {
        if !isUnbegun { _ = requireTransactionReference() } else { checkThread() }
    }

    /// The transaction, for a change; stops when there is none.
    func requireTransaction() -> WriteTransaction {
        requireTransactionReference().takeUnretainedValue()
    }

    /// The transaction, for a change that does not end it: nothing is counted.
    func requireTransactionReference() -> Unmanaged<WriteTransaction> {
        if waitingElements != nil { storeWaitingElementsKeepingFailure() }
        return requireOpenTransaction()
    }

    /// The transaction, for what leaves waiting elements as they are.
    func requireOpenTransaction() -> Unmanaged<WriteTransaction> {
        checkThread()
        guard let open else {
            misuse(
                "Attempting to modify object outside of a write transaction - call beginWrite() on "
                    + "a Realm instance first, or put the change into `realm.write { }`.")
        }
        return open
    }

    private func writeFloor(of table: ObjectTable) throws {
        table.needsFloor = false
        guard let next = shared.nextKeys[table.stored.number], let transaction else { return }
        let value = withUnsafeBytes(of: next.littleEndian, Array.init)
        try StoredSchema.floorKey(table.stored.number).withBytes { key in
            try value.withBytes { value in
                try transaction.put(rawKey: key, rawValue: value, in: shared.schemaKeyspace)
            }
        }
    }
}

typealias RealmCore = _RealmCore
