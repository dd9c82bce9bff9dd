/// Makes the handles of a loop, or lets one handle be that of one object after another.
///
/// A handle is used again only where no program can see it (O27): when nobody else refers to it,
/// not even weakly, and its class has no stored properties but persisted ones.
struct HandleRecycler {
    /// After how many handles in a row to which the program refers none is used again.
    private static let missCountMax = 4

    /// The handle that was given out last.
    private var spare = SpareHandle()
    private let uniqueWord = UniqueReference.uniqueWord
    private var missesLeft: Int
    private let collections: CachedCollections

    /// The class of the handles.
    private let type: ObjectBase.Type

    init(_ type: ObjectBase.Type, _ table: TableState, isOn: Bool) {
        self.type = type
        let info = table.classInfo
        missesLeft =
            isOn && info?.type == type && info?.isHandleOnly == true ? Self.missCountMax : 0
        if missesLeft == 0 {
            collections = CachedCollections(nil)
        } else if table.session.isFrozen {
            // Tables of frozen sessions cache no handles (Z6).
            collections = CachedCollections(type, table)
        } else {
            // Those of the class, which are looked up once.
            collections = table.recent.collections
        }
    }

    /// Whether the handle that was given out last may be used again.
    @inline(__always)
    var isReusing: Bool { missesLeft > 0 }

    /// Releases the handle.
    mutating func end() { spare = SpareHandle() }

    /// A handle of a row.
    @inline(__always)
    mutating func handle(
        _ session: RealmSession, _ table: TableState, _ key: UInt64, _ row: UnsafeRawBufferPointer
    ) -> ObjectBase {
        if let spare = takeSpare() {
            spare.key = key
            spare.isStaged = false
            _ = session.point(spare, to: row, table)
            return spare
        }
        return lend(make(session, table, FoundRow(key: key, bytes: row), isOwn: true))
    }

    /// A handle of an object whose row is looked up when it is first used.
    mutating func handle(_ session: RealmSession, _ table: TableState, later key: UInt64)
        -> ObjectBase
    {
        if let spare = takeSpare() {
            spare.point(later: key)
            return spare
        }
        return lend(make(session, table, later: key, isOwn: true))
    }

    @inline(__always)
    private mutating func takeSpare() -> ObjectBase? {
        if spare.isEmpty { return nil }
        guard spare.isFree(uniqueWord) else {
            missesLeft &-= 1
            return nil
        }
        guard let handle = spare.handle else { return nil }
        collections.forget(in: handle)
        return handle
    }

    @inline(never)
    private mutating func lend(_ made: ObjectBase) -> ObjectBase {
        spare = SpareHandle(missesLeft > 0 ? made : nil)
        return made
    }

    /// A new handle of a row; `isOwn` says whether it is of the class of the handles, and not of
    /// one that derives from it.
    func make(
        _ session: RealmSession, _ table: TableState, _ row: FoundRow, isOwn: Bool
    ) -> ObjectBase {
        let object = newHandle(table, isOwn)
        object.bind(to: session, table, key: row.key, row: row.bytes)
        return object
    }

    /// A new handle of an object whose row is looked up when it is first used.
    func make(
        _ session: RealmSession, _ table: TableState, later key: UInt64, isOwn: Bool
    ) -> ObjectBase {
        let object = newHandle(table, isOwn)
        object.bind(to: session, table, key: key)
        if table.hasUnwrappedProperties { object.bindUnwrappedProperties() }
        return object
    }

    private func newHandle(_ table: TableState, _ isOwn: Bool) -> ObjectBase {
        isOwn || type is DynamicObject.Type ? type.newInstance() : table.info.type.newInstance()
    }
}
