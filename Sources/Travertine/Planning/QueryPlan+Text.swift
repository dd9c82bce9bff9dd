import OrderedIndex

/// Plans as text: a line for each path, with what is below it indented.
extension QueryPlan {
    /// The plan.
    /// - Parameter withCounts: whether lines have the numbers of rows: `=` counted, `≈` estimated.
    func text(withCounts: Bool = true) -> String {
        var lines: [String] = []
        if let order {
            lines.append(
                "\(order.index.title) \(table.className)(\(order.index.names(in: table))) in "
                    + "\(order.ascending ? "ascending" : "descending") order"
                    + Self.count(candidateCount, withCounts))
        } else if let path {
            path.append(to: &lines, "", table, withCounts: withCounts)
        } else {
            lines.append("scan \(table.className)" + Self.count(candidateCount, withCounts))
        }
        if !remaining.isEmpty {
            let conditions = remaining.map { ConditionText.text($0, in: table) }
            lines.append("test \(conditions.joined(separator: " AND "))")
        } else if path?.isExact == false {
            lines.append("test the whole condition")
        }
        return lines.joined(separator: "\n")
    }

    fileprivate static func count(_ count: KeyCount, _ withCounts: Bool) -> String {
        withCounts ? " (\(count.isExact ? "=" : "≈") \(count.count))" : ""
    }
}

extension SearchableIndex {
    /// The names of its properties.
    func names(in table: TableState) -> String {
        slots.map { ConditionText.name($0, in: table) }.joined(separator: ", ")
    }

    fileprivate var title: String {
        switch kind {
        case .rows, .primaryKey: "primary key"
        case .values: "index"
        case .uniqueValues: "unique index"
        case .none: "scan"
        }
    }
}

extension AccessPath {
    fileprivate func append(
        to lines: inout [String], _ indent: String, _ table: TableState, withCounts: Bool
    ) {
        let count = QueryPlan.count(count, withCounts)
        func add(_ text: String) { lines.append(indent + text + count) }
        func addParts(_ parts: [AccessPath]) {
            for part in parts {
                part.append(to: &lines, indent + "  ", table, withCounts: withCounts)
            }
        }
        switch kind {
        case .nothing: lines.append(indent + "nothing")
        case .ranges(let ranges): add(ranges.text(in: table))
        case .union(let parts):
            add("union")
            addParts(parts)
        case .intersection(let parts):
            add("intersection")
            addParts(parts)
        case .words(let search):
            let name = ConditionText.name(search.slot, in: table)
            add("words \(name): \(search.title)")
        case .places(let search):
            let name = ConditionText.name(search.slot, in: table)
            let count = search.ranges.count
            add("places \(name): \(search.shape.title) in \(count) range\(count == 1 ? "" : "s")")
        case .links(let search):
            let names = search.hops.map { ConditionText.name($0.slot, in: $0.table) }
            add("links \(names.joined(separator: "."))")
            switch search.targets {
            case .keys(let keys):
                lines.append(
                    indent + "  \(keys.count == 1 ? "one object" : "\(keys.count) objects")")
            case .path(let path):
                path.append(
                    to: &lines, indent + "  ", search.target, withCounts: withCounts)
            case .rows(let ranges): lines.append(indent + "  " + ranges.text(in: search.target))
            }
        }
    }
}

extension IndexRanges {
    /// The index and the values that are looked for in it.
    fileprivate func text(in table: TableState) -> String {
        let conditions = zip(index.slots.indices, values).map { position, allowed in
            ConditionText.text(
                allowed, ConditionText.name(index.slots[position], in: table),
                index.types[position])
        }
        let title =
            index.kind == .none
            ? "scan \(table.className)"
            : "\(index.title) \(table.className)(\(index.names(in: table)))"
        return "\(title): \(conditions.joined(separator: " AND "))"
    }
}
