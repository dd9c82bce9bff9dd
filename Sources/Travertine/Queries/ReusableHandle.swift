/// The collections that a handle remembers of the object that it stands for: they have to be
/// forgotten before it becomes the handle of another.
struct RememberedCollections {
    private let properties: [ClassInfo.Property]

    /// Those of handles of a class to objects of a table. Handles of another class than the table's,
    /// dynamic ones, remember none.
    init(_ type: ObjectBase.Type, _ table: ObjectTable) {
        let info = table.classInfo
        self.init(info?.type == type ? info : nil)
    }

    /// Those of handles of a class.
    init(_ info: ClassInfo?) {
        properties = info?.properties.filter { $0.type.collection != .none } ?? []
    }

    /// Lets a handle make its collections anew; whoever has one of them keeps it as it is.
    @inline(__always)
    func forget(in handle: ObjectBase) {
        if !properties.isEmpty { forgetAll(in: handle) }
    }

    @inline(never)
    private func forgetAll(in handle: ObjectBase) {
        for property in properties {
            property.wrapper.forgetValue(at: handle._memory + property.offset)
        }
    }
}

/// A handle that is lent for one object after another, whose rows were found at the start.
struct ReusableHandle {
    private let object: ObjectBase
    private let session: RealmSession
    private let table: ObjectTable
    private let collections: RememberedCollections
    /// The generation at which the rows were found.
    private let generation: UInt64

    init(_ object: ObjectBase, _ session: RealmSession, _ table: ObjectTable) {
        self.object = object
        self.session = session
        self.table = table
        collections = RememberedCollections(type(of: object), table)
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
