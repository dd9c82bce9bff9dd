import OrderedIndex
import TravertineStore

/// Paths through links: first the objects that links lead to, then those that link there.
extension Planner {
    /// The path of a condition on the property at the end of links, or on the link itself; nil if
    /// a link on the way names the type of its object, or if nil may match: no backlink leads from
    /// an object without link.
    func linkPath(_ condition: Condition) throws -> AccessPath? {
        guard let reader = condition.reader,
            let path = reader.linkPath
                ?? reader.directSlot.map({ LinkPath(hops: [], target: table, slot: $0) }),
            path.target.properties.indices.contains(path.slot)
        else { return nil }
        var hops: [LinkSearch.Hop] = []
        for hop in path.hops {
            let property = hop.table.properties[hop.slot]
            guard property.type == .object, property.backlinks != .absent else { return nil }
            hops.append(
                LinkSearch.Hop(
                    slot: hop.slot, backlinks: property.backlinks, type: nil, table: hop.table))
        }
        let property = path.target.properties[path.slot]
        if let links = linkedObjects(condition, property) {
            return try objectPath(links, property, path, hops)
        }
        if case .isWithin(_, let shape) = condition { return try pointPath(shape, path, hops) }
        guard !hops.isEmpty, property.collection == .none,
            let values = AllowedValues(condition, property.type), !values.hasNull
        else { return nil }
        if values.items.isEmpty { return .nothing }
        return try valuePath(values, path, hops)
    }

    /// The objects that a link is compared with; nil if the condition is another.
    private func linkedObjects(
        _ condition: Condition, _ property: StoredProperty
    ) -> [(type: UInt32, key: UInt64)]? {
        let constants: [RawConstant]
        switch condition {
        case .comparison(_, .equal, let constant): constants = [constant]
        case .isIn(_, let list): constants = list
        default: return nil
        }
        var links: [(type: UInt32, key: UInt64)] = []
        for constant in constants {
            switch constant {
            case .word(let word) where property.type == .object:
                guard let target = table.session.table(named: property.target) else { return nil }
                links.append((target.stored.number, UInt64(bitPattern: word)))
            case .bytes(let bytes) where property.type == .any:
                let reference = bytes.withUnsafeBytes { MixedCode.reference(in: $0) }
                guard case .object(let type, let key)? = reference else { return nil }
                links.append((type, key))
            case .null, .word, .bytes: return nil
            }
        }
        return links.isEmpty ? nil : links
    }

    /// The objects that link to one of these.
    private func objectPath(
        _ links: [(type: UInt32, key: UInt64)], _ property: StoredProperty, _ path: LinkPath,
        _ hops: [LinkSearch.Hop]
    ) throws -> AccessPath? {
        guard property.backlinks != .absent, let type = links.first?.type,
            links.allSatisfy({ $0.type == type })
        else { return nil }
        let namesType = property.type == .any
        if !namesType, property.type != .object { return nil }
        var keys = links.map(\.key)
        SortedKeys.normalise(&keys)
        let last = LinkSearch.Hop(
            slot: path.slot, backlinks: property.backlinks, type: namesType ? type : nil,
            table: path.target)
        let isExact =
            namesType
            || table.session.table(named: property.target).map { $0.stored.number == type } ?? false
        var total = KeyCount(count: 0, isExact: keys.count <= 16)
        for key in keys.prefix(16) {
            let range = KeyRange.beginning(with: last.prefix(of: key))
            let found = try IndexRanges.count(range, in: last.backlinks, access)
            total.count += found.count
            total.isExact = total.isExact && found.isExact
        }
        if keys.count > 16 { total.count = total.count * keys.count / 16 }
        if total == KeyCount(count: 0, isExact: true) { return .nothing }
        // An object that links to several of them, or often, is found once.
        if keys.count > 1 { total.isExact = false }
        let search = LinkSearch(
            hops: hops + [last], target: path.target, targets: .keys(keys), slot: nil, values: nil)
        let cost = PlanCost.seek * Double(keys.count) + PlanCost.entry * Double(total.count)
        return linkPath(search, hops, total, cost: cost, isExact: isExact)
    }

    /// The objects whose links lead to objects with some values.
    private func valuePath(
        _ values: AllowedValues, _ path: LinkPath, _ hops: [LinkSearch.Hop]
    ) throws -> AccessPath? {
        let planner = try Planner(path.target)
        let bySlot = [path.slot: [(position: 0, values: values)]]
        var best: AccessPath?
        for index in SearchableIndex.all(of: path.target) where index.slots[0] == path.slot {
            guard let found = try planner.choice(along: index, bySlot)?.path else { continue }
            let isBetter = best.map { $0.cost > found.cost } ?? true
            if isBetter { best = found }
        }
        var targets: LinkSearch.Targets
        var count: KeyCount
        var cost: Double
        var isExact: Bool
        if let best {
            if case .nothing = best.kind { return .nothing }
            targets = .path(best)
            (count, cost, isExact) = (best.count, best.cost, best.isExact)
        } else {
            guard let index = SearchableIndex.none(of: path.slot, in: path.target) else {
                return nil
            }
            let ranges = IndexRanges(index, [values])
            targets = .rows(ranges)
            let guess = Double(planner.rowCount) * PlanCost.guessedPart
            count = KeyCount(count: max(1, Int(guess)), isExact: false)
            cost = Double(planner.rowCount) * PlanCost.filteredRow
            isExact = ranges.isExact
        }
        let search = LinkSearch(
            hops: hops, target: path.target, targets: targets, slot: path.slot, values: values)
        return linkPath(search, hops, count, cost: cost, isExact: isExact)
    }

    /// The path of a search, from the number of objects that its last links lead to.
    func linkPath(
        _ search: LinkSearch, _ hops: [LinkSearch.Hop], _ found: KeyCount, cost: Double,
        isExact: Bool
    ) -> AccessPath {
        var count = Double(found.count)
        var cost = cost
        var target = search.target
        for hop in hops.reversed() {
            let linkCount = Double(access.count(in: hop.backlinks))
            let targetCount = Double(max(1, access.count(in: target.rows)))
            let sourceCount = Double(access.count(in: hop.table.rows))
            cost += count * PlanCost.seek
            count = min(sourceCount, count * linkCount / targetCount)
            cost += count * (PlanCost.entry + PlanCost.sortedKey)
            target = hop.table
        }
        return AccessPath(
            kind: .links(search),
            count: KeyCount(
                count: Int(count.rounded(.up)), isExact: found.isExact && hops.isEmpty),
            cost: cost, isExact: isExact)
    }
}

extension LinkSearch.Hop {
    /// What the entries of the links to an object begin with.
    func prefix(of target: UInt64) -> [UInt8] {
        var key = IndexKey()
        key.set(backlinkTo: target, ofType: type)
        return key.bytes
    }
}
