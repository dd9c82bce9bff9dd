import TravertineStore

/// The way of a session from one version to another, and what changed on it. All observations of
/// the session that were notified of the older version share one.
final class VersionStep {
    let session: RealmSession
    let older: Snapshot
    let newer: Snapshot
    private(set) var changes: ObjectChanges
    /// What nodes were found to be affected.
    private(set) var affected: [ObjectIdentifier: (node: WatchedNode, keys: Set<UInt64>)] = [:]
    /// How many more links may be looked at, and what was found with a limit (`VersionStep+Some`).
    var linkBudget = Int.max
    var limited = LimitedFindings()
    private var inverseTargets: [ObjectChanges.Origin: [UInt32: Set<UInt64>]] = [:]

    init(_ session: RealmSession, from older: Snapshot, to newer: Snapshot) throws {
        self.session = session
        self.older = older
        self.newer = newer
        changes = try Self.changes(session, from: older, to: newer)
    }

    /// What changed: what the session's commit noted (V13d), else what comparing finds.
    private static func changes(
        _ session: RealmSession, from older: Snapshot, to newer: Snapshot
    ) throws -> ObjectChanges {
        let cache = session.shared.storedTypesCache
        guard let noted = session.observations.noted, noted.leads(from: older, to: newer),
            let changes = try ObjectChanges(noted.note, from: older, to: newer, cache: cache)
        else { return try ObjectChanges(from: older, to: newer, cache: cache) }
        #if DEBUG
            let compared = try ObjectChanges(from: older, to: newer, cache: cache)
            precondition(
                changes == compared,
                "a transaction noted \(changes.types), and comparing finds \(compared.types)")
        #endif
        return changes
    }

    /// The changes of the objects of a type; nil if there are none.
    func changes(of table: TableState) -> ObjectChanges.OfType? {
        changes.types[table.stored.number]
    }

    /// Whether objects of one of these types changed.
    func concerns(_ types: Set<UInt32>) -> Bool {
        changes.types.keys.contains { types.contains($0) }
    }

    // MARK: What changes affect

    /// The keys of the objects of a node's table, in both versions, of which something changed that
    /// the node watches: in themselves, or in what links of the newer version lead to.
    ///
    /// The older version need not be asked: where a way from an object led to a change and does so
    /// no more, the first link of it that differs is a change itself.
    func affectedKeys(_ node: WatchedNode) throws -> Set<UInt64> {
        if let found = affected[ObjectIdentifier(node)] { return found.keys }
        var keys: Set<UInt64> = []
        if concerns(node.types()) || node.hops.contains(where: \.isInverse) {
            keys = Set(modifiedKeys(node))
            for hop in node.hops { try add(hop, of: node, to: &keys) }
        }
        affected[ObjectIdentifier(node)] = (node, keys)
        return keys
    }

    /// As `affectedKeys`, ascending. Without ways from the node no set is made.
    func affectedList(_ node: WatchedNode) throws -> [UInt64] {
        node.hops.isEmpty ? modifiedKeys(node) : try affectedKeys(node).sorted()
    }

    /// The keys of the objects of a node's table that differ in a property which it watches.
    private func modifiedKeys(_ node: WatchedNode) -> [UInt64] {
        guard let modified = changes(of: node.table)?.modified else { return [] }
        var keys: [UInt64] = []
        var last = (properties: PropertyNumbers(), isWatched: false)
        for object in modified {
            // Many objects mostly differ in the same properties.
            if object.properties != last.properties {
                last = (object.properties, object.properties.contains(where: node.watches))
            }
            if last.isWatched { keys.append(object.key) }
        }
        return keys
    }

    private func add(_ hop: WatchedNode.Hop, of node: WatchedNode, to keys: inout Set<UInt64>)
        throws
    {
        let targets = try affectedKeys(hop.child)
        switch hop.way {
        case .link(let slot):
            let property = node.table.properties[slot]
            for target in targets {
                let links = try session.backlinks(
                    to: target, in: hop.child.table, property, stoppingAfter: linkBudget)
                try spend(links.count)
                for link in links { keys.insert(link.source) }
            }
        case .inverse(let slot):
            let origin = ObjectChanges.Origin(
                type: hop.child.table.stored.number,
                property: hop.child.table.properties[slot].number)
            keys.formUnion(try targetsOfChangedLinks(origin, node.table))
            for source in targets {
                try hop.child.table.forEachLink(ofSlot: slot, of: source) { table, key in
                    try spend(1)
                    if table.stored.number == node.table.stored.number { keys.insert(key) }
                }
            }
        }
    }

    /// The objects of a table that other objects than before link to by a property.
    func targetsOfChangedLinks(
        _ origin: ObjectChanges.Origin, _ table: TableState
    ) throws -> Set<UInt64> {
        if let known = inverseTargets[origin] { return known[table.stored.number] ?? [] }
        let found = try ObjectChanges(
            from: older, to: newer, types: [], links: [origin],
            cache: session.shared.storedTypesCache)
        var targets: [UInt32: Set<UInt64>] = [:]
        for link in found.links[origin] ?? [] {
            targets[link.targetType, default: []].insert(link.target)
        }
        inverseTargets[origin] = targets
        return targets[table.stored.number] ?? []
    }
}

extension WatchedNode.Hop {
    /// Whether the way leads against the links.
    var isInverse: Bool {
        if case .inverse = way { true } else { false }
    }
}

extension TableState {
    /// Calls `body` with the objects that an object links to by a property, each as often as it
    /// does.
    func forEachLink(
        ofSlot slot: Int, of key: UInt64, _ body: (TableState, UInt64) throws -> Void
    ) throws {
        guard let row = try session.access.value(forKey: key, in: rows) else { return }
        let property = properties[slot]
        guard let target = session.table(named: property.target) else { return }
        if property.collection == .none {
            let value = self.value(at: slot, in: row, try binding(of: row))
            if let (table, key) = session.link(value, to: target) { try body(table, key) }
            return
        }
        try CollectionStorage(session, self, key, slot).visit {
            if let (table, key) = session.link($0, to: target) { try body(table, key) }
            return true
        }
    }
}
