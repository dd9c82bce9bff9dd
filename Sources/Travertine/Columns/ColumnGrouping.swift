import OrderedIndex
import TravertineStore

/// Groups rows, and adds up their properties, from columns; of each group one row is read.
struct ColumnGrouping {
    private let scan: ColumnScan
    private let key: PropertyReader
    private let properties: [AggregatedProperty]
    private let state: ResultsState

    /// Nil where rows must be looked at.
    init?(_ state: ResultsState, _ readers: GroupingPass.Readers) throws {
        guard !state.descriptors.leavesOutRows, let keySlot = readers.key.directSlot else {
            return nil
        }
        let slots = readers.properties.compactMap(\.directSlot)
        guard slots.count == readers.properties.count,
            let scan = try ColumnScan(state, slots: [keySlot] + slots)
        else { return nil }
        self.scan = scan
        self.state = state
        key = readers.key
        properties = readers.properties
    }

    /// Adds all matches.
    ///
    /// - Returns: the columns that have the bytes of the groups' texts.
    func add(to groups: inout GroupTable) throws -> [LeafColumn] {
        let held = state.session.snapshot
        defer { withExtendedLifetime(held) {} }
        scan.columns.buildAhead()
        var visitor = Visitor(grouping: self, groups: groups)
        try scan.columns.access.visitNodes(of: scan.table.rows, &visitor)
        groups = visitor.groups
        return visitor.texts
    }

    private struct Visitor: NodeVisitor {
        let grouping: ColumnGrouping
        var groups: GroupTable
        var texts: [LeafColumn] = []
        private var loaded: [LeafColumn] = []

        init(grouping: ColumnGrouping, groups: GroupTable) {
            self.grouping = grouping
            self.groups = groups
        }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) throws {
            let scan = grouping.scan
            guard try scan.columns.load(leaf, into: &loaded) else {
                let readers = GroupingPass.Readers(
                    key: grouping.key, properties: grouping.properties)
                return try scan.forEachRow(of: leaf) {
                    try readers.add($0, scan.table, to: &groups)
                }
            }
            try withUnsafeTemporaryAllocation(
                of: (place: Int32, group: Int32).self, capacity: leaf.count
            ) { members in
                guard let members = members.baseAddress else { return }
                add(try number(leaf, members), members)
            }
        }

        /// Finds the group of each match.
        private mutating func number(
            _ leaf: LeafEntries, _ members: UnsafeMutablePointer<(place: Int32, group: Int32)>
        ) throws -> Int {
            let scan = grouping.scan
            let type = grouping.key.type.type
            let keys = ValueColumn(loaded[scan.numbers[0]], isText: type == .string)
            let groupCount = groups.rows.count
            var count = 0
            try scan.forEachMatch(loaded, leaf) { place in
                let number = try groups.number(of: keys.value(place, type)) {
                    scan.table.noteVisits(.row)
                    return try scan.row(place, of: leaf)
                }
                groups.count(number)
                (members + count).initialize(
                    to: (Int32(truncatingIfNeeded: place), Int32(truncatingIfNeeded: number)))
                count &+= 1
            }
            if type == .string, groups.rows.count > groupCount {
                texts.append(loaded[scan.numbers[0]])
            }
            return count
        }

        /// Adds the values of each property to the groups of their rows.
        private mutating func add(
            _ count: Int, _ members: UnsafeMutablePointer<(place: Int32, group: Int32)>
        ) {
            for (number, property) in grouping.properties.enumerated() {
                let type = property.type
                let column = ValueColumn(
                    loaded[grouping.scan.numbers[number + 1]], isText: false)
                groups.withAccumulators { accumulators, width in
                    for position in 0..<count {
                        let (place, group) = members[position]
                        property.add(
                            column.value(Int(place), type),
                            to: &accumulators[Int(group) &* width &+ number])
                    }
                }
            }
        }
    }
}
