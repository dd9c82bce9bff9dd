import TravertineStore

/// A transaction that noted what it changed, by its versions; it keeps neither.
struct NotedCommit {
    let note: ChangeNote
    private let base: UInt64
    private let committed: UInt64
    private let store: ObjectIdentifier

    init(_ note: ChangeNote, from base: Snapshot, to committed: Snapshot) {
        self.note = note
        self.base = base.version
        self.committed = committed.version
        store = ObjectIdentifier(committed.store)
    }

    /// Whether it leads from one version to the other. The store of the realm, which both are of,
    /// is open.
    func leads(from older: Snapshot, to newer: Snapshot) -> Bool {
        base == older.version && committed == newer.version
            && ObjectIdentifier(older.store) == store && ObjectIdentifier(newer.store) == store
    }
}

extension ObjectChanges {
    /// How many objects are looked up of which a note does not say whether they changed, and what.
    private static let lookedUpCountMax = 1024

    /// What a transaction changed, by its note (O-L13d): the same that comparing its versions
    /// finds.
    ///
    /// Nothing is read but of objects to which more happened than the note can say. Nil if the note
    /// says too little.
    init?(
        _ note: ChangeNote, from older: Snapshot, to newer: Snapshot, cache: StoredTypesCache
    ) throws {
        if note.lacksEvents || note.hasUndone { return nil }
        var lookUp = LookUp(older, newer, cache, Self.lookedUpCountMax)
        for type in note.types {
            let changes = try OfType(type, &lookUp)
            guard let changes else { return nil }
            if !changes.isEmpty { types[type.number] = changes }
        }
    }

    /// Objects that are looked up in both versions, up to a number of them.
    fileprivate struct LookUp {
        private let older: Snapshot
        private let newer: Snapshot
        private let cache: StoredTypesCache
        private var remaining: Int
        private var comparison: VersionComparison?
        private var rows: (type: UInt32, comparison: RowComparison)?

        init(
            _ older: Snapshot, _ newer: Snapshot, _ cache: StoredTypesCache, _ countMax: Int
        ) {
            (self.older, self.newer, self.cache) = (older, newer, cache)
            remaining = countMax
        }

        /// Adds what is different in an object; false if too many were looked up, or it is one
        /// whose owner changed with it.
        mutating func add(
            _ key: UInt64, ofType number: UInt32, to changes: inout OfType
        ) throws -> Bool {
            remaining -= 1
            guard remaining >= 0, let types = try types(number), !types.new.stored.isEmbedded
            else { return false }
            let rows = types.new.stored.rows
            let old = try older.access.value(forKey: key, in: rows)
            let new = try newer.access.value(forKey: key, in: rows)
            switch (old, new) {
            case (nil, nil): break
            case (nil, _?): changes.inserted.append(key)
            case (_?, nil): changes.deleted.append(key)
            case (let old?, let new?):
                let changed = try self.rows?.comparison.changedProperties(from: old, to: new)
                if let changed, !changed.isEmpty {
                    changes.modified.append(.init(key: key, properties: changed))
                }
            }
            return true
        }

        /// A type in both versions; nil if it is in one only.
        private mutating func types(
            _ number: UInt32
        ) throws -> (old: TypeDescription, new: TypeDescription)? {
            if comparison == nil {
                comparison = VersionComparison(
                    older: older, newer: newer, oldTypes: try cache.types(of: older),
                    newTypes: try cache.types(of: newer), schemaKeyspace: cache.schemaKeyspace)
            }
            guard let comparison, let old = comparison.oldTypes[number],
                let new = comparison.newTypes[number]
            else { return nil }
            if rows?.type != number { rows = (number, comparison.rowComparison(of: old, new)) }
            return (old, new)
        }
    }
}

extension ObjectChanges.OfType {
    /// What happened to the objects of a type; nil if that is not known.
    fileprivate init?(
        _ noted: ChangeNote.OfType, _ lookUp: inout ObjectChanges.LookUp
    ) throws {
        var events = noted.events
        let ascends = zip(events, events.dropFirst()).allSatisfy { $0.key <= $1.key }
        if !ascends { events.sort { $0.key < $1.key } }
        if !noted.hasMembership { modified.reserveCapacity(events.count) }
        var next = 0
        while next < events.count {
            let key = events[next].key
            var history = ObjectHistory()
            while next < events.count, events[next].key == key {
                history.add(events[next].what)
                next += 1
            }
            switch history.outcome {
            case .inserted: inserted.append(key)
            case .deleted: deleted.append(key)
            case .modified:
                modified.append(.init(key: key, properties: history.properties))
            case .unknown:
                guard try lookUp.add(key, ofType: noted.number, to: &self) else { return nil }
            }
        }
    }
}

/// What happened to an object in a transaction, whatever the order was.
private struct ObjectHistory {
    enum Outcome { case inserted, deleted, modified, unknown }

    /// The properties that got other values.
    private(set) var properties = PropertyNumbers()
    private var insertionCount = 0
    private var deletionCount = 0
    /// Whether a property may have its first value again.
    private var isUncertain = false

    mutating func add(_ what: UInt32) {
        switch what {
        case ChangeNote.Event.insertion: insertionCount += 1
        case ChangeNote.Event.deletion: deletionCount += 1
        case ChangeNote.Event.several: isUncertain = true
        default:
            if properties.contains(what) { isUncertain = true }
            properties.insert(what)
        }
    }

    var outcome: Outcome {
        switch (insertionCount, deletionCount) {
        case (0, 0): isUncertain ? .unknown : .modified
        case (1, 0): .inserted
        case (0, 1): .deleted
        default: .unknown
        }
    }
}
