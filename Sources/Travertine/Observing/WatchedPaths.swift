/// Making nodes of paths: of the key paths that a program gives, and of those that a query reads.
extension WatchedNode {
    /// The name that stands for every property.
    static let wildcard = "*"

    /// Adds a path. A change of each property on it counts, and of what links on it lead to only
    /// what the path goes on with.
    ///
    /// - Throws: what the path names and the type lacks.
    func add(_ path: PropertyPath) throws(QueryProblem) { try add(path.steps[...]) }

    private func add(_ steps: ArraySlice<PropertyPath.Step>) throws(QueryProblem) {
        var rest = steps
        guard let step = rest.popFirst() else { return }
        switch step {
        case .property(Self.wildcard): try addEach(rest)
        case .property(let name): try add(name, rest)
        case .links(let type, let property): try addLinks(type, property, rest)
        default:
            // A step into a collection or a value of any type; the property before it counts.
            try add(rest)
        }
    }

    private func addEach(_ rest: ArraySlice<PropertyPath.Step>) throws(QueryProblem) {
        watchesEverything = true
        guard !rest.isEmpty else { return }
        var first: QueryProblem?
        var isFound = false
        for slot in 0..<table.visibleCount where table.properties[slot].backlinks != .absent {
            for target in table.targets(ofSlot: slot) {
                do throws(QueryProblem) {
                    try child(.link(slot: slot), target).add(rest)
                    isFound = true
                } catch {
                    first = first ?? error
                }
            }
        }
        if let first, !isFound { throw first }
    }

    private func add(
        _ name: String, _ rest: ArraySlice<PropertyPath.Step>
    ) throws(QueryProblem) {
        if let inverse = table.classInfo?.inverses.first(where: { $0.name == name }),
            let origin = inverse.valueType._storedType.targetClass
        {
            for source in table.session.tables(ofClassesFrom: origin) {
                guard let slot = source.slot(named: inverse.originProperty) else { continue }
                try child(.inverse(slot: slot), source).addContents(rest)
            }
            return
        }
        guard let slot = table.slot(named: name) else {
            let inverses = table.classInfo?.inverses.map(\.name) ?? []
            throw QueryProblem(
                message: "Property '\(name)' not found in object of type '\(table.className)'."
                    + NearNames.advice(on: name, among: table.publicNames + inverses))
        }
        let property = table.properties[slot]
        properties.insert(property.number)
        let rest = rest.drop { !$0.namesProperty }
        if rest.isEmpty {
            // An embedded object is a part of the object that owns it.
            guard property.isOwning, property.type == .object else { return }
            for target in table.targets(ofSlot: slot) {
                child(.link(slot: slot), target).watchEverythingOwned()
            }
            return
        }
        let targets = table.targets(ofSlot: slot)
        guard !targets.isEmpty else {
            throw QueryProblem(
                message: "Property '\(name)' of '\(table.className)' is "
                    + "\(property.storedType.text), and \(rest.first?.text ?? "") can't follow it.")
        }
        for (index, target) in targets.enumerated() {
            do throws(QueryProblem) {
                try child(.link(slot: slot), target).add(rest)
            } catch {
                // Of several types that a value can have not each must have the property.
                if index == 0, property.type == .object || property.isVarying { throw error }
            }
        }
    }

    private func addContents(_ rest: ArraySlice<PropertyPath.Step>) throws(QueryProblem) {
        let rest = rest.drop { !$0.namesProperty }
        if !rest.isEmpty { try add(rest) }
    }

    private func addLinks(
        _ type: String, _ property: String, _ rest: ArraySlice<PropertyPath.Step>
    ) throws(QueryProblem) {
        guard let source = table.session.table(named: type),
            let slot = source.slot(named: property)
        else {
            throw QueryProblem(message: "'\(type).\(property)' is not in the realm's schema.")
        }
        let family =
            source.classInfo.map { table.session.tables(ofClassesFrom: $0.type) } ?? [source]
        for origin in family {
            guard let slot = origin === source ? slot : origin.slot(named: property) else {
                continue
            }
            try child(.inverse(slot: slot), origin).addContents(rest)
        }
    }

    /// Lets every property count, and those of embedded objects in it.
    private func watchEverythingOwned() {
        if watchesEverything { return }
        watchesEverything = true
        for slot in 0..<table.visibleCount {
            let property = table.properties[slot]
            guard property.isOwning, property.type == .object else { continue }
            for target in table.targets(ofSlot: slot) where target !== table {
                child(.link(slot: slot), target).watchEverythingOwned()
            }
        }
    }

    /// Adds the paths of what a condition reads.
    func add(_ predicate: Predicate, after prefix: PropertyPath = PropertyPath())
        throws(QueryProblem)
    {
        switch predicate {
        case .constant: break
        case .not(let part): try add(part, after: prefix)
        case .and(let parts), .or(let parts):
            for part in parts { try add(part, after: prefix) }
        case .comparison(let comparison):
            try add(comparison.left, after: prefix)
            try add(comparison.right, after: prefix)
        case .words(let path, _), .isWithin(let path, _):
            try add(PropertyPath(prefix.steps + path.steps))
        }
    }

    private func add(_ operand: Operand, after prefix: PropertyPath) throws(QueryProblem) {
        switch operand {
        case .constant, .list: break
        case .path(let path), .aggregate(_, let path):
            try add(PropertyPath(prefix.steps + path.steps))
        case .subqueryCount(let path, let predicate):
            let inner = PropertyPath(prefix.steps + path.steps)
            try add(inner)
            try add(predicate, after: inner)
        case .arithmetic(_, let left, let right):
            try add(left, after: prefix)
            try add(right, after: prefix)
        }
    }
}

extension PropertyPath.Step {
    /// Whether the step goes from an object to what a property of it has.
    fileprivate var namesProperty: Bool {
        switch self {
        case .property, .links: true
        default: false
        }
    }
}
