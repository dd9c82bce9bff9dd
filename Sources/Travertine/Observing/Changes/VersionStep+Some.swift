/// What a step affects of some objects: found from the changes backwards, or from these objects,
/// whichever looks at fewer links (O-L8b).
///
/// An object that changed may be one that a million others link to. Who observes ten of these does
/// not look at all of them.
extension VersionStep {
    /// How many links are looked at backwards for so many objects: some in any case, and some for
    /// each.
    static func linkCountMax(for count: Int) -> Int {
        startsFromObjects ? 0 : Swift.max(1024, count * 8)
    }

    /// Whether no link is looked at backwards; set by tests, which compare both ways.
    @TaskLocal static var startsFromObjects = false

    /// The keys of the objects of a node's table that the changes affect, as `affectedKeys(_:)`
    /// finds them. Of other objects than some it may have any.
    ///
    /// - Parameters:
    ///   - count: how many objects these are.
    ///   - keys: gives their keys, if they are needed.
    func affectedKeys(
        _ node: WatchedNode, among count: Int, _ keys: () throws -> some Sequence<UInt64>
    ) throws -> Set<UInt64> {
        let countMax = Self.linkCountMax(for: count)
        if let all = try affectedKeys(node, linkCountMax: countMax) { return all }
        return try Set(keys().filter { try isAffected($0, node) })
    }

    /// The keys of all objects of a node's table that the changes affect; nil if more than so many
    /// links must be looked at to find them.
    func affectedKeys(_ node: WatchedNode, linkCountMax: Int) throws -> Set<UInt64>? {
        let identity = ObjectIdentifier(node)
        if let found = affected[identity] { return found.keys }
        if let refused = limited.refused[identity], refused.linkCount >= linkCountMax { return nil }
        linkBudget = linkCountMax
        defer { linkBudget = .max }
        do {
            return try affectedKeys(node)
        } catch is TooManyLinks {
            limited.refused[identity] = (node, linkCountMax)
            return nil
        }
    }

    /// Counts links that were looked at.
    func spend(_ linkCount: Int) throws {
        #if DEBUG
            session.visits.links += linkCount
        #endif
        if linkCount > linkBudget { throw TooManyLinks() }
        linkBudget -= linkCount
    }

    /// Whether the changes affect an object of a node's table: itself, or what links of the newer
    /// version lead to.
    private func isAffected(_ key: UInt64, _ node: WatchedNode) throws -> Bool {
        let identity = ObjectIdentifier(node)
        if let all = affected[identity] { return all.keys.contains(key) }
        if let known = limited.tested[identity]?.results[key] { return known }
        let result = try test(key, node)
        limited.tested[identity, default: (node, [:])].results[key] = result
        return result
    }

    private func test(_ key: UInt64, _ node: WatchedNode) throws -> Bool {
        guard concerns(node.types()) || node.hops.contains(where: \.isInverse) else { return false }
        if let modified = changes(of: node.table)?.modified(key),
            modified.properties.contains(where: node.watches)
        {
            return true
        }
        return try node.hops.contains { hop in
            let table = hop.child.table
            switch hop.way {
            case .link(let slot):
                return try node.table.hasLink(ofSlot: slot, of: key) { target, key in
                    session.noteVisit(.link)
                    guard target.stored.number == table.stored.number else { return false }
                    return try isAffected(key, hop.child)
                }
            case .inverse(let slot):
                let property = table.properties[slot]
                let origin = ObjectChanges.Origin(
                    type: table.stored.number, property: property.number)
                if try targetsOfChangedLinks(origin, node.table).contains(key) { return true }
                return try session.backlinks(to: key, in: node.table, property).contains { link in
                    session.noteVisit(.link)
                    return try isAffected(link.source, hop.child)
                }
            }
        }
    }
}

/// What was found of nodes with a limit. The nodes are kept, so that none takes the place of
/// another.
struct LimitedFindings {
    /// With which limits not all affected objects were found.
    var refused: [ObjectIdentifier: (node: WatchedNode, linkCount: Int)] = [:]
    /// Which objects were found to be affected, and which not.
    var tested: [ObjectIdentifier: (node: WatchedNode, results: [UInt64: Bool])] = [:]
}

/// More links must be looked at than was allowed.
private struct TooManyLinks: Error {}

extension TableState {
    /// Whether an object links to one that fulfils a condition, by a property or by collections in
    /// it.
    fileprivate func hasLink(
        ofSlot slot: Int, of key: UInt64, where fulfils: (TableState, UInt64) throws -> Bool
    ) throws -> Bool {
        guard let row = try session.access.value(forKey: key, in: rows) else { return false }
        session.noteVisit(.row)
        let property = properties[slot]
        // A value of any type names the table itself.
        guard let target = property.type == .any ? self : session.table(named: property.target)
        else { return false }
        let storage = CollectionStorage(session, self, key, slot)
        if property.collection == .none {
            let value = self.value(at: slot, in: row, try binding(of: row))
            return try storage.leads(by: value, to: target, where: fulfils)
        }
        return try storage.hasLink(to: target, where: fulfils)
    }
}

extension CollectionStorage {
    /// Whether an element links to an object that fulfils a condition.
    fileprivate func hasLink(
        to target: TableState, where fulfils: (TableState, UInt64) throws -> Bool
    ) throws -> Bool {
        var isFound = false
        try visit {
            isFound = try leads(by: $0, to: target, where: fulfils)
            return !isFound
        }
        return isFound
    }

    /// Whether a value links to an object that fulfils a condition, or something in it does.
    fileprivate func leads(
        by value: _RawValue, to target: TableState,
        where fulfils: (TableState, UInt64) throws -> Bool
    ) throws -> Bool {
        if let (table, key) = session.link(value, to: target) { return try fulfils(table, key) }
        guard case .bytes(let bytes) = value,
            case .collection(let kind, let number) = MixedCode.reference(in: bytes)
        else { return false }
        let inner = nested(kind, number)
        guard inner.nesting?.depth ?? 0 <= MixedCode.depthMax, try inner.isPresent() else {
            return false
        }
        return try inner.hasLink(to: target, where: fulfils)
    }
}
