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
