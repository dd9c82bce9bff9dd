/// A handle that is lent for one object after another, whose rows were found before the first.
struct ReusableHandle {
    private let object: ObjectBase
    private let session: RealmSession
    private let table: TableState
    private let collections: CachedCollections
    /// The generation at which the rows were found.
    private let generation: UInt64

    init(_ object: ObjectBase, _ session: RealmSession, _ table: TableState) {
        self.object = object
        self.session = session
        self.table = table
        collections = CachedCollections(type(of: object), table)
        generation = session.generation.pointee.number
        object.bind(to: session, table, key: 0)
    }

    /// Whether the rows are still those that the realm shows: nothing was written since.
    @inline(__always)
    var isCurrent: Bool { session.generation.pointee.number == generation }

    /// Points the handle to an object and the row that was found of it, or, once something was
    /// written, to what the realm shows of the object when it is used.
    @inline(__always)
    func point(to key: UInt64, _ row: UnsafeRawBufferPointer) throws {
        collections.forget(in: object)
        guard isCurrent else { return object.point(later: key) }
        object.key = key
        object.isStaged = false
        if !session.point(object, to: row, table) { try session.throwDamage() }
    }
}

extension ObjectBase {
    /// Makes a managed handle that of another object, whose row is looked up when it is first used.
    final func point(later key: UInt64) {
        self.key = key
        isStaged = false
        rowGeneration = 0
        _stamp = Generation.unresolvedStamp
    }
}
