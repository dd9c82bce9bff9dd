/// What a transaction may have changed, noted while it does: nothing is missing that differs between
/// its two versions, and there may be more. With it, a session finds out without comparing versions
/// that its own commit concerns none of its observations (V13c).
///
/// It has the properties that were set, and the objects that were inserted or deleted. Whatever else
/// a transaction does makes the note incomplete.
struct ChangeNote {
    struct ObjectNote: Hashable {
        let type: UInt32
        let key: UInt64
    }

    /// How many objects are noted; after that, any object of the noted types may have changed.
    private static let objectCountMax = 64

    /// Whether everything is noted.
    private(set) var isComplete = true
    /// The properties that were set, by type.
    private(set) var properties: [(type: UInt32, numbers: PropertyNumbers)] = []
    /// The types of which objects were inserted or deleted.
    private(set) var memberships: Set<UInt32> = []
    private var deletions: Set<UInt32> = []
    /// The objects of which something was set, or that were inserted or deleted.
    private(set) var objects: [ObjectNote] = []
    /// Whether objects are missing there.
    private(set) var lacksObjects = false

    /// A property of an object was set.
    mutating func noteSet(_ property: UInt32, ofType type: UInt32, key: UInt64) {
        if let place = properties.firstIndex(where: { $0.type == type }) {
            properties[place].numbers.insert(property)
        } else {
            properties.append((type, PropertyNumbers([property])))
        }
        note(ObjectNote(type: type, key: key))
    }

    /// An object was inserted. If one was deleted before, it may be the same one with other values.
    mutating func noteInserted(ofType type: UInt32, key: UInt64) {
        if deletions.contains(type) { isComplete = false }
        memberships.insert(type)
        note(ObjectNote(type: type, key: key))
    }

    /// An object was deleted.
    mutating func noteDeleted(ofType type: UInt32, key: UInt64) {
        deletions.insert(type)
        memberships.insert(type)
        note(ObjectNote(type: type, key: key))
    }

    /// Something else was changed.
    mutating func noteAnything() { isComplete = false }

    private mutating func note(_ object: ObjectNote) {
        if lacksObjects || objects.last == object { return }
        if objects.count == Self.objectCountMax {
            lacksObjects = true
        } else {
            objects.append(object)
        }
    }
}

extension RealmSession {
    /// Notes that a property of an object was set. Owners of embedded objects are not looked for.
    @inline(never)
    func noteSet(_ slot: Int, of table: TableState, key: UInt64) {
        if table.stored.isEmbedded {
            noteAnything()
        } else {
            scope.note?.noteSet(table.slots[slot].property, ofType: table.number, key: key)
        }
    }

    /// Notes that an object was stored: a new one, or in place of another.
    @inline(never)
    func noteStored(_ key: UInt64, of table: TableState, exists: Bool) {
        if exists { return noteAnything() }
        scope.note?.noteInserted(ofType: table.number, key: key)
    }

    /// Notes that an object was deleted.
    @inline(never)
    func noteDeleted(_ key: UInt64, of table: TableState) {
        scope.note?.noteDeleted(ofType: table.number, key: key)
    }

    /// Notes a change of another kind.
    func noteAnything() { if scope.isNoting { scope.note?.noteAnything() } }
}
