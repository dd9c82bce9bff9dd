import TravertineStore

/// What a transaction may have changed, noted while it does: nothing is missing that differs between
/// its two versions. With it, a session finds out without comparing versions that its own commit
/// concerns none of its observations (V13c), and mostly also what it changed (V13d).
///
/// It has the values that were replaced by others, and the objects that were inserted, deleted or
/// replaced. What else a transaction can do ends the note.
struct ChangeNote {
    /// What happened to an object: a value became another one, or something that is not a property.
    struct Event {
        /// The object was inserted: no object had its key.
        static let insertion = UInt32.max
        static let deletion = UInt32.max - 1
        /// More than an event can say.
        static let several = UInt32.max - 2

        let key: UInt64
        /// The number of a property, or one of those above.
        var what: UInt32
    }

    /// What happened to the objects of a type.
    struct OfType {
        /// The number of the type.
        let number: UInt32
        /// The properties that got other values.
        var properties = PropertyNumbers()
        /// Whether objects were inserted or deleted.
        var hasMembership = false
        var hasDeletions = false
        /// What happened, in order.
        var events: [Event] = []

        init(_ number: UInt32) { self.number = number }
    }

    /// How many events are noted: 16 MiB.
    static let eventCountMax = 1 << 20

    private(set) var types: [OfType] = []
    /// Whether an object may have taken the place of another, with any values.
    private(set) var hasReplacements = false
    /// Whether the events are missing, of which there were too many.
    private(set) var lacksEvents = false
    /// Whether a part of what is noted was undone.
    private(set) var hasUndone = false
    private var eventCount = 0
    /// The place of the type of the last event.
    private var lastPlace = 0

    /// A property of an object got another value.
    mutating func noteSet(_ property: UInt32, ofType type: UInt32, key: UInt64) {
        let place = place(ofType: type)
        types[place].properties.insert(property)
        append(property, key, place)
    }

    /// An object was inserted. If one was deleted before, it may be the same one with other values.
    mutating func noteInserted(ofType type: UInt32, key: UInt64) {
        let place = place(ofType: type)
        types[place].hasMembership = true
        if types[place].hasDeletions { hasReplacements = true }
        append(Event.insertion, key, place)
    }

    /// An object took the place of another.
    mutating func noteReplaced(ofType type: UInt32, key: UInt64) {
        hasReplacements = true
        append(Event.several, key, place(ofType: type))
    }

    /// An object was deleted.
    mutating func noteDeleted(ofType type: UInt32, key: UInt64) {
        let place = place(ofType: type)
        types[place].hasMembership = true
        types[place].hasDeletions = true
        append(Event.deletion, key, place)
    }

    /// A savepoint was rolled back to.
    mutating func noteUndone() { hasUndone = true }

    private mutating func place(ofType type: UInt32) -> Int {
        if lastPlace < types.count, types[lastPlace].number == type { return lastPlace }
        if let place = types.firstIndex(where: { $0.number == type }) {
            lastPlace = place
        } else {
            lastPlace = types.count
            types.append(OfType(type))
        }
        return lastPlace
    }

    private mutating func append(_ what: UInt32, _ key: UInt64, _ place: Int) {
        if lacksEvents { return }
        let last = types[place].events.count - 1
        if last >= 0, types[place].events[last].key == key {
            let before = types[place].events[last].what
            // A loop that changes one object takes no more room.
            if before == Event.several, what < Event.deletion { return }
            if before == what {
                types[place].events[last].what = Event.several
                return
            }
        }
        guard eventCount < Self.eventCountMax else {
            lacksEvents = true
            for place in types.indices { types[place].events = [] }
            return
        }
        eventCount += 1
        types[place].events.append(Event(key: key, what: what))
    }
}

extension RealmSession {
    /// Stores a value in a row in place, and notes it if it is another one; false if the row has no
    /// room for it.
    @inline(never)
    func storeNoting(
        _ raw: _RawValue, at slot: Int, of table: TableState, key: UInt64,
        in row: UnsafeMutableRawBufferPointer, _ binding: LayoutBinding
    ) -> Bool {
        let before = table.value(at: slot, in: UnsafeRawBufferPointer(row), binding)
        let isChange = !before.isSame(as: table.value(at: slot, stored: raw))
        guard binding.store(raw, at: slot, in: row) else { return false }
        if isChange { noteChange(of: slot, of: table, key: key) }
        return true
    }

    /// Notes that a property of an object gets a value, if that is another one.
    @inline(never)
    func noteSet(_ raw: _RawValue, at slot: Int, of before: RowValues, key: UInt64) {
        let table = before.table
        if before.value(at: slot).isSame(as: table.value(at: slot, stored: raw)) { return }
        noteChange(of: slot, of: table, key: key)
    }

    /// Owners of embedded objects are not looked for.
    private func noteChange(of slot: Int, of table: TableState, key: UInt64) {
        if table.stored.isEmbedded {
            noteAnything()
        } else {
            scope.note?.noteSet(table.slots[slot].property, ofType: table.number, key: key)
        }
    }

    /// Notes that an object was stored: a new one, or in place of another.
    @inline(never)
    func noteStored(_ key: UInt64, of table: TableState, exists: Bool) {
        if !exists {
            scope.note?.noteInserted(ofType: table.number, key: key)
        } else if table.stored.isEmbedded {
            noteAnything()
        } else {
            scope.note?.noteReplaced(ofType: table.number, key: key)
        }
    }

    /// Notes that an object was deleted.
    @inline(never)
    func noteDeleted(_ key: UInt64, of table: TableState) {
        scope.note?.noteDeleted(ofType: table.number, key: key)
    }

    /// Notes a change of another kind: from then on there is no note.
    func noteAnything() { if scope.isNoting { scope.note = nil } }
}
