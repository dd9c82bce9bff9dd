import OrderedIndex
import TravertineStore

/// Paths along indexes of places.
extension Planner {
    /// The path of a condition on the point that a link of the table's own leads to; nil if there
    /// is no index of it.
    func placesPath(_ reader: PropertyReader, _ shape: ShapeConstant) throws -> AccessPath? {
        guard let slot = reader.directSlot else { return nil }
        return try placesPath(slot, shape)
    }

    /// As above, by the slot of the link.
    func placesPath(_ slot: Int, _ shape: ShapeConstant) throws -> AccessPath? {
        guard let search = try PlaceSearch(table, slot: slot, shape, access) else { return nil }
        if search.ranges.isEmpty { return .nothing }
        let count = try search.entryCount(access)
        if count == KeyCount(count: 0, isExact: true) { return .nothing }
        let entries = Double(count.count)
        return AccessPath(
            kind: .places(search),
            count: KeyCount(
                count: count.count,
                isExact: count.isExact && search.ranges.allSatisfy(\.isInside)),
            cost: PlanCost.seek * Double(search.ranges.count) + PlanCost.entry * entries
                + PlanCost.sorting(entries), isExact: true)
    }

    /// The objects whose links lead to those that link to a point in a shape; nil if there is no
    /// index of it.
    func pointPath(
        _ shape: ShapeConstant, _ path: LinkPath, _ hops: [LinkSearch.Hop]
    ) throws -> AccessPath? {
        guard !hops.isEmpty,
            let found = try Planner(path.target).placesPath(path.slot, shape)
        else { return nil }
        if case .nothing = found.kind { return .nothing }
        let search = LinkSearch(
            hops: hops, target: path.target, targets: .path(found), slot: nil, values: nil)
        return linkPath(search, hops, found.count, cost: found.cost, isExact: true)
    }

    /// Reading the points that conditions on places ask for, beside the row, in a scan.
    func pointCost(_ conjuncts: [Condition]) -> Double {
        conjuncts.reduce(0) { cost, condition in
            guard case .isWithin(let reader, _) = condition, let target = reader.target else {
                return cost
            }
            return cost + PlanCost.lookup(amongRows: access.count(in: target.rows))
        }
    }
}
