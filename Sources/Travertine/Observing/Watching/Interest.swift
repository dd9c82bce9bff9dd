/// Which changes an observation must be asked about: by type, by the property that differs, and
/// whether an object came or went.
///
/// It may have more than what the observation depends on: the observation is then also asked about
/// changes that do not concern it. It may not have less, because a change that it lacks is never
/// reported. It is valid for the state of the schema in which it was made.
struct Interest: Hashable {
    /// What counts of the objects of a type.
    struct OfType: Hashable {
        /// The numbers of the properties that count.
        var properties = PropertyNumbers()
        /// Whether insertions and deletions count.
        var includesMembership = false
        /// Whether any change counts.
        var includesAll = false
    }

    /// An object, by its type and key.
    struct ObservedObject: Hashable {
        let type: UInt32
        let key: UInt64
    }

    /// Whether every change counts.
    private(set) var isUnlimited = false
    /// By the number of the type.
    private(set) var types: [UInt32: OfType] = [:]
    /// The one object of which any change counts, also that it comes or goes.
    private(set) var object: ObservedObject?

    /// Everything counts.
    static var unlimited: Interest {
        var interest = Interest()
        interest.isUnlimited = true
        return interest
    }

    /// Adds the insertions and deletions of a table's objects.
    mutating func addMembership(of table: TableState) {
        types[table.stored.number, default: OfType()].includesMembership = true
    }

    /// Adds any change of a type's objects.
    mutating func addAll(ofType number: UInt32) {
        types[number, default: OfType()].includesAll = true
    }

    /// Adds an object, of which there may be one.
    mutating func addObject(_ key: UInt64, of table: TableState) {
        precondition(object == nil, "an interest has one object")
        object = ObservedObject(type: table.stored.number, key: key)
    }

    /// Adds a property, and the insertions and deletions of the objects that have it.
    mutating func add(_ property: StoredProperty, of table: TableState) {
        types[table.stored.number, default: OfType()].properties.insert(property.number)
        addMembership(of: table)
    }

    /// Adds what a node watches, and those that its ways lead to.
    mutating func add(_ node: WatchedNode) {
        var visited: Set<ObjectIdentifier> = []
        add(node, &visited)
    }

    /// Adds what the ways of a node lead to, where the objects of the node itself are `object`.
    mutating func addWays(of node: WatchedNode) {
        var visited: Set<ObjectIdentifier> = []
        for hop in node.hops { add(hop, &visited) }
    }

    private mutating func add(_ node: WatchedNode, _ visited: inout Set<ObjectIdentifier>) {
        guard visited.insert(ObjectIdentifier(node)).inserted else { return }
        let table = node.table
        var numbers = PropertyNumbers(node.properties)
        if node.watchesEverything {
            for property in table.properties[..<table.visibleCount] {
                numbers.insert(property.number)
            }
        }
        for hop in node.hops {
            if case .link(let slot) = hop.way { numbers.insert(table.properties[slot].number) }
            add(hop, &visited)
        }
        types[table.stored.number, default: OfType()].properties.formUnion(numbers)
    }

    private mutating func add(_ hop: WatchedNode.Hop, _ visited: inout Set<ObjectIdentifier>) {
        if case .inverse(let slot) = hop.way {
            // Objects that come or go link as those do whose property differs.
            add(hop.child.table.properties[slot], of: hop.child.table)
        }
        add(hop.child, &visited)
    }

    /// Adds what may give a collection other elements, or another order of them.
    mutating func add(_ source: ResultsSource) {
        switch source.origin {
        case .collection(let storage): addObject(storage.key, of: storage.table)
        case .backlinks(let backlinks):
            addObject(backlinks.key, of: backlinks.table)
            for table in backlinks.table.session.tables(ofClassesFrom: backlinks.origin) {
                guard let slot = table.slot(named: backlinks.originProperty) else { continue }
                add(table.properties[slot], of: table)
            }
        }
    }
}

/// What interests were found with: while it is the same, they hold.
struct InterestBasis: Equatable {
    private let schemaChangeCount: UInt64
    private let classCount: Int
    private let invalidationCount: UInt32

    init(_ session: RealmSession) {
        schemaChangeCount = session.schemaChangeCount
        classCount = session.openedClassCount
        invalidationCount = session.counts.invalidationCount
    }
}
