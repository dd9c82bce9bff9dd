import OrderedIndex
import TravertineStore

/// Finds the cheapest way to the objects that a condition matches.
///
/// A plan is made from the numbers of entries in index ranges, which are estimated by their ends,
/// and from the constants of `PlanCost`; no row and no entry is walked. What an index can't find
/// stays a condition on rows.
struct Planner {
    let table: TableState
    let access: ReadAccess
    let rowCount: Int
    let indexes: [SearchableIndex]

    /// The most combinations of values of several properties that are looked up one by one.
    private static let combinationCountMax = 4096

    init(_ table: TableState) throws {
        self.table = table
        access = try table.session.access
        rowCount = access.count(in: table.rows)
        indexes = table.indexes
    }

    /// The plan of a query.
    ///
    /// - Parameters:
    ///   - descriptors: what is done with what is found; the first sorting can follow an index.
    ///   - limit: how many results are asked for; nil for all.
    static func plan(
        _ condition: Condition?, _ table: TableState, _ descriptors: [ResultsDescriptor] = [],
        limit: Int? = nil
    ) throws -> QueryPlan {
        // Postings that wait in the transaction are counted, and the plan holds what it reads.
        if condition?.readsWords == true { try table.session.flushPostings() }
        let planner = try Planner(table)
        let conjuncts = condition.map { Self.conjuncts(of: $0) } ?? []
        var choice: Choice?
        if !QueryPlanning.isScanOnly { choice = try planner.choose(conjuncts) }
        let scanCost = planner.scanCost(conjuncts)
        if let found = choice, !QueryPlanning.prefersIndexes,
            found.path.totalCost(rowCount: planner.rowCount) >= scanCost,
            found.path.count != KeyCount(count: 0, isExact: true)
        {
            choice = nil
        }
        let remaining = choice.map { $0.remaining(of: conjuncts) } ?? conjuncts
        var plan = QueryPlan(
            table: table, path: choice?.path, remaining: remaining, rowCount: planner.rowCount)
        plan.limit = Self.limit(descriptors, limit)
        let cost = choice?.path.totalCost(rowCount: planner.rowCount) ?? scanCost
        guard let order = planner.orderedWalk(plan, descriptors, cost: cost) else { return plan }
        var sorted = QueryPlan(
            table: table, path: nil, remaining: conjuncts, rowCount: planner.rowCount)
        sorted.order = order
        sorted.limit = plan.limit
        return sorted
    }

    /// The conditions that all must hold.
    static func conjuncts(of condition: Condition) -> [Condition] {
        switch condition {
        case .and(let parts): parts.flatMap { conjuncts(of: $0) }
        case .not(.not(let condition)): conjuncts(of: condition)
        case .not(.constant(let value)): conjuncts(of: .constant(!value))
        case .constant(true): []
        default: [condition]
        }
    }

    /// Reading every row, and following the links that conditions ask for.
    private func scanCost(_ conjuncts: [Condition]) -> Double {
        var row = 1 + pointCost(conjuncts)
        for condition in conjuncts {
            if case .words = condition { row += PlanCost.textTest }
            guard let path = condition.reader?.linkPath, !path.hops.isEmpty else { continue }
            let targetCount = access.count(in: path.target.rows)
            row += PlanCost.lookup(amongRows: targetCount) * Double(path.hops.count)
        }
        return row * Double(rowCount)
    }

    // MARK: Conditions that all must hold

    /// A path and the conditions that it makes superfluous, by position.
    struct Choice {
        var path: AccessPath
        var covered: Set<Int>

        /// The conditions that are left for rows.
        func remaining(of conjuncts: [Condition]) -> [Condition] {
            if case .nothing = path.kind { return [] }
            return conjuncts.indices.filter { !covered.contains($0) }.map { conjuncts[$0] }
        }
    }

    /// The cheapest path for conditions that all must hold; nil if no index helps.
    func choose(_ conjuncts: [Condition]) throws -> Choice? {
        var bySlot: [Int: [(position: Int, values: AllowedValues)]] = [:]
        var found: [Choice] = []
        for (position, condition) in conjuncts.enumerated() {
            if let (slot, values) = valuesOfSlot(condition) {
                if values.items.isEmpty { return Choice(path: .nothing, covered: [position]) }
                bySlot[slot, default: []].append((position, values))
                if case .text = condition, let path = try otherPath(condition) {
                    found.append(Choice(path: path, covered: [position]))
                }
            } else if let path = try otherPath(condition) {
                if case .nothing = path.kind { return Choice(path: path, covered: [position]) }
                found.append(Choice(path: path, covered: [position]))
            }
        }
        if !bySlot.isEmpty {
            for index in indexes {
                if let choice = try self.choice(along: index, bySlot) { found.append(choice) }
            }
        }
        return combined(found)
    }

    /// The best path, or the intersection of several if that saves more rows than it costs.
    private func combined(_ choices: [Choice]) -> Choice? {
        let sorted = choices.sorted {
            $0.path.totalCost(rowCount: rowCount) < $1.path.totalCost(rowCount: rowCount)
        }
        guard var best = sorted.first else { return nil }
        var used = best.covered
        var parts = [best.path]
        let lookup = PlanCost.lookup(amongRows: rowCount)
        for choice in sorted.dropFirst() where used.isDisjoint(with: choice.covered) {
            let part = Double(choice.path.count.count) / Double(max(1, rowCount))
            let saved = Double(best.path.count.count) * (1 - part) * lookup
            if choice.path.cost >= saved { continue }
            used.formUnion(choice.covered)
            parts.append(choice.path)
            best.path.count = KeyCount(
                count: Int((Double(best.path.count.count) * part).rounded(.up)), isExact: false)
            best.path.cost += choice.path.cost
            best.path.isExact = best.path.isExact && choice.path.isExact
            if choice.path.isExact { best.covered.formUnion(choice.covered) }
        }
        if !parts[0].isExact { best.covered.subtract(sorted[0].covered) }
        if parts.count > 1 { best.path.kind = .intersection(parts) }
        return best
    }

    /// What a condition on a property of the table itself allows.
    private func valuesOfSlot(_ condition: Condition) -> (slot: Int, values: AllowedValues)? {
        if case .or(let parts) = condition {
            var all: (slot: Int, values: AllowedValues)?
            for part in parts {
                guard let (slot, values) = valuesOfSlot(part) else { return nil }
                guard let slotBefore = all?.slot else {
                    all = (slot, values)
                    continue
                }
                if slotBefore != slot { return nil }
                all?.values.formUnion(values)
            }
            return all
        }
        guard let slot = condition.reader?.directSlot, table.properties.indices.contains(slot)
        else { return nil }
        let property = table.properties[slot]
        guard property.collection == .none,
            let values = AllowedValues(condition, property.type)
        else { return nil }
        return (slot, values)
    }

    /// The path along one index: values of its first properties, then perhaps a range of the next.
    func choice(
        along index: SearchableIndex, _ bySlot: [Int: [(position: Int, values: AllowedValues)]]
    ) throws -> Choice? {
        var values: [AllowedValues] = []
        var covered: Set<Int> = []
        var combinationCount = 1
        for slot in index.slots {
            guard let all = bySlot[slot] else { break }
            let fewest = all.filter(\.values.areValues).min {
                $0.values.items.count < $1.values.items.count
            }
            if let fewest {
                let product = combinationCount * fewest.values.items.count
                if !values.isEmpty, product > Self.combinationCountMax { break }
                combinationCount = product
                values.append(fewest.values)
                covered.insert(fewest.position)
                continue
            }
            var range = all[0]
            covered.insert(range.position)
            for other in all.dropFirst() {
                guard let narrowed = range.values.narrowed(by: other.values) else { continue }
                range.values = narrowed
                covered.insert(other.position)
            }
            values.append(range.values)
            break
        }
        if values.isEmpty { return nil }
        return Choice(
            path: try AccessPath(IndexRanges(index, values), access), covered: covered)
    }

    // MARK: Other conditions

    /// The path of a condition that is none on a value of the table's own.
    private func otherPath(_ condition: Condition) throws -> AccessPath? {
        switch condition {
        case .constant(false): return .nothing
        case .or(let parts): return try unionPath(parts)
        case .words(let reader, let query): return try wordsPath(reader, query)
        case .text(let reader, let operation, let text, let options):
            return try trigramPath(reader, operation, text, options) ?? linkPath(condition)
        case .isWithin(let reader, let shape):
            return try placesPath(reader, shape) ?? linkPath(condition)
        default: return try linkPath(condition)
        }
    }

    /// The path of conditions of which one must hold: every one needs a path.
    private func unionPath(_ parts: [Condition]) throws -> AccessPath? {
        var paths: [AccessPath] = []
        for part in parts {
            let conjuncts = Self.conjuncts(of: part)
            guard let choice = try choose(conjuncts) else { return nil }
            var path = choice.path
            if case .nothing = path.kind { continue }
            if choice.covered.count < conjuncts.count { path.isExact = false }
            paths.append(path)
        }
        if paths.isEmpty { return .nothing }
        return paths.count == 1 ? paths[0] : AccessPath(union: paths, rowCount: rowCount)
    }
}

extension Condition {
    /// Whether a part of it is a full-text query.
    var readsWords: Bool {
        switch self {
        case .words: true
        case .not(let part): part.readsWords
        case .and(let parts), .or(let parts): parts.contains(where: \.readsWords)
        case .constant, .comparison, .isIn, .isBetween, .text, .isWithin, .other: false
        }
    }

    /// What reads the values that it compares with constants.
    var reader: PropertyReader? {
        switch self {
        case .comparison(let reader, _, _), .isIn(let reader, _), .isBetween(let reader, _, _),
            .text(let reader, _, _, _), .words(let reader, _), .isWithin(let reader, _):
            reader
        case .constant, .not, .and, .or, .other: nil
        }
    }
}
