/// Which objects of results a step affects.
extension ResultsObservation {
    /// Which of the results' objects a node is affected of, by their keys; those of one table.
    func affectedKeys(_ node: WatchedNode, part: Int, _ step: VersionStep) throws -> Set<UInt64> {
        let reported = try reportedKeys(step)
        return try step.affectedKeys(node, among: reported.count) {
            reported.all.lazy.filter { $0.part == UInt32(part) }.map(\.key)
        }
    }

    /// As `affectedKeys`, ascending. Without ways from the node no set is made.
    func affectedList(_ node: WatchedNode, part: Int, _ step: VersionStep) throws -> [UInt64] {
        node.hops.isEmpty
            ? try step.affectedList(node) : try affectedKeys(node, part: part, step).sorted()
    }

    /// Which of the results' objects nodes, one for each table, are affected of.
    func affected(_ nodes: [WatchedNode], _ step: VersionStep) throws -> Set<ResultKey> {
        var found: Set<ResultKey> = []
        for (part, node) in nodes.enumerated() {
            for key in try affectedKeys(node, part: part, step) {
                found.insert(ResultKey(key: key, part: UInt32(part)))
            }
        }
        return found
    }

    /// All objects of a table that a node is affected of, in the results or not, ascending; nil if
    /// that takes so long that the query may as well run again.
    func allAffected(_ node: WatchedNode, _ step: VersionStep) throws -> [UInt64]? {
        if node.hops.isEmpty { return try step.affectedList(node) }
        let countMax = VersionStep.linkCountMax(for: try reportedKeys(step).count)
        return try step.affectedKeys(node, linkCountMax: countMax)?.sorted()
    }

    /// The objects that count as modified, by the results' tables.
    func modifiedKeys(_ step: VersionStep) throws -> [UInt32: Set<UInt64>] {
        var modified: [UInt32: Set<UInt64>] = [:]
        for (part, node) in watched.modification.enumerated() {
            let keys = try affectedKeys(node, part: part, step)
            if !keys.isEmpty { modified[UInt32(part)] = keys }
        }
        return modified
    }
}
