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
    /// The keyspace of links that wait for their targets, as it was after so many changes of keyspaces.
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

/// Changes that were made and are not in the store's transaction yet. A savepoint that fails drops
/// them as a whole, as the end of the transaction does.
struct UnstoredChanges {
    /// Nodes of large collections that are in memory.
    var nodes = CollectionNodes()
    /// Elements that were appended to a large list.
    var appends: AppendBuffer?
    /// Changed postings of full-text indexes; nil before the first one.
    var postings: PostingsBatch?
    /// Embedded objects that lost an owner; deleted at the end of the change unless they got
    /// another.
    var orphans: [Orphan] = []
}

/// What a session keeps from one transaction to the next, right as long as nobody else writes and
/// nothing is undone; then it is dropped as a whole.
struct SessionCaches {
    /// The number of the last write transaction of the realm.
    var transaction: UInt64 = 0
    /// Where the links of large lists wait.
    var unresolvedListPositions = UnresolvedListPositions()
    /// Objects by the values that entries of unique indexes have cut.
    var cutValues = CutValues()
}

/// The insertion of an object and what it leads to, as far as it has come.
struct InsertionScope {
    /// Whether the row of an object that is being added is made just now.
    var isMakingRow = false
    /// The policy of the dynamic object that is being made, which what it links to has as well; nil
    /// where none is.
    var linkedUpdate: Realm.UpdatePolicy?
    /// The keys of objects that are being added, for others with their primary keys.
    var pendingKeys: [PendingKey: UInt64] = [:]
    /// Pieces of collections made for the row that is about to be encoded.
    var preparedPieces: [Int: [UInt8]] = [:]
    /// The embedded objects that values of the object are stored as whose row is made just now, by
    /// slot.
    var embeddedForms: [Int: EmbeddedForms]?
    /// Counts the rows that were stored.
    var rowCount: UInt64 = 0
    /// Objects that were added and keep their values until nothing can refuse them any more.
    var keptObjects: [WaitingObject] = []
    /// How many parts of the transaction go on whose objects do.
    var keepingDepth = 0
}
