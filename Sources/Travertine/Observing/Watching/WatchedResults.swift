/// What of a schema observed results depend on: nodes for each of their tables.
///
/// Made for one state of the schema.
final class WatchedResults {
    /// Which objects count as modified.
    let modification: [WatchedNode]
    /// Which objects may come or go without being inserted or deleted; nil where that is not known.
    let membership: [WatchedNode]?
    /// Which objects may be moved; nil where that is not known.
    let order: [WatchedNode]?
    /// The numbers of all types on the ways of these.
    let types: Set<UInt32>
    let schemaChangeCount: UInt64
    /// Whether changes of other objects count, to which there are ways.
    let hasWays: Bool

    init(_ state: ResultsState, _ keyPaths: [PropertyPath]?) {
        let tables = state.tables
        modification = tables.map { Self.modification($0, keyPaths) }
        membership = Self.nodes(tables) { node throws(QueryProblem) in
            if let predicate = state.predicate { try node.add(predicate) }
            for descriptor in state.descriptors {
                switch descriptor {
                case .filtered(let predicate): try node.add(predicate)
                case .distinct(let names): try node.add(names)
                case .sorted, .limited: break
                }
            }
        }
        order = Self.nodes(tables) { node throws(QueryProblem) in
            for case .sorted(let sorting) in state.descriptors {
                try node.add(sorting.map(\.keyPath))
            }
        }
        types = (modification + (membership ?? []) + (order ?? []))
            .reduce(into: Set(tables.map(\.stored.number))) { $0.formUnion($1.types()) }
        hasWays = (modification + (membership ?? []) + (order ?? [])).contains { !$0.hops.isEmpty }
        schemaChangeCount = state.session.schemaChangeCount
    }

    /// What counts as a modification of a table's objects.
    static func modification(_ table: TableState, _ keyPaths: [PropertyPath]?) -> WatchedNode {
        guard let keyPaths else { return .everything(of: table) }
        let node = WatchedNode(table)
        // They were checked; an object of a derived class or another type may lack a property.
        for path in keyPaths { try? node.add(path) }
        return node
    }

    private static func nodes(
        _ tables: [TableState], _ fill: (WatchedNode) throws(QueryProblem) -> Void
    ) -> [WatchedNode]? {
        var nodes: [WatchedNode] = []
        for table in tables {
            let node = WatchedNode(table)
            do throws(QueryProblem) { try fill(node) } catch { return nil }
            nodes.append(node)
        }
        return nodes
    }
}

extension WatchedNode {
    /// Adds the properties that rows are sorted by or made distinct by.
    fileprivate func add(_ names: [String]) throws(QueryProblem) {
        for name in names where name != DistinctRows.itself {
            try add(try KeyPathSteps.checkedPath(of: name))
        }
    }
}
