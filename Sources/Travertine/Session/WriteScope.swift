import TravertineStore

/// What lives for one write transaction of a session, and is dropped as a whole with it.
struct WriteScope {
    /// Whether beginning it failed: until the commit throws why, or cancelling forgets it, changes
    /// do nothing.
    var isUnbegun = false
    /// The first failure; later changes do nothing, and the commit throws it.
    var failure: (any Error)?
    /// The numbers of types whose records it changed, also where a savepoint undid that.
    var changedTypes: Set<UInt32> = []
    /// The numbers of types of which it deleted objects, so that the next key must be stored.
    var typesWithDeletions: [UInt32] = []
    /// The types of which every object is being deleted.
    var emptiedTypes: Set<UInt32> = []
    /// The keyspace of links that wait for their targets, as it was after so many changes of
    /// keyspaces.
    var unresolvedKeyspace: (changes: Int, id: KeyspaceID?)?
    /// What it installed of classes that it used first.
    var firstUsed: FirstUsedClasses?
    /// Objects whose required links the commit looks at.
    var requiredChecks: Set<RequiredCheck> = []
    /// What the commit looks at for unique indexes.
    var uniqueChecks = UniqueChecks()
    /// What the realm showed before, and what the transaction began with; nil where nothing is
    /// observed.
    var versions: (before: Snapshot, base: Snapshot)?
    /// What it changed; nil where nothing was observed when it began.
    var note: ChangeNote? { didSet { isNoting = note != nil } }
    /// Whether there is a note.
    private(set) var isNoting = false
    /// The number of the first asymmetric object that was added, and of the next one.
    var firstOutboxNumber: UInt64?
    var nextOutboxNumber: UInt64?
}
