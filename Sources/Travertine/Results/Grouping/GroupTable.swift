/// Groups of rows by the values of one property, and what is added up of each.
struct GroupTable {
    /// The first row of each group.
    private(set) var rows: [FoundRow] = []
    private(set) var counts: [Int] = []
    /// Those of one group follow one another.
    private(set) var accumulators: [_AggregateAccumulator] = []
    private var keys: [_RawValue] = []
    private let type: PropertyType
    /// How many properties are added up.
    private let width: Int
    private var values: DistinctValues
    /// The numbers of integers around the first one; -1 for none.
    private var near: [Int32] = []
    private var nearStart: Int64 = 0
    private static let nearCount = 8192

    /// - Parameter type: that of the values.
    init(_ type: PropertyType, width: Int) {
        self.type = type
        self.width = width
        values = DistinctValues(type)
    }

    /// The number of a value's group, which is made if it is new; `row` gives its first row.
    ///
    /// Unsafe: the bytes of a text must stay where they are.
    @inline(__always)
    mutating func number(
        of raw: _RawValue, _ row: () throws -> FoundRow
    ) rethrows -> Int {
        if case .word(let word) = raw {
            let place = word &- nearStart
            if place >= 0, place < near.count {
                let known = near[Int(place)]
                if known >= 0 { return Int(known) }
            }
        }
        return try otherNumber(of: raw, row)
    }

    @inline(never)
    private mutating func otherNumber(
        of raw: _RawValue, _ row: () throws -> FoundRow
    ) rethrows -> Int {
        let (number, isNew) = values.number(of: raw)
        if isNew {
            let row = try row()
            rows.append(row)
            keys.append(raw)
            counts.append(0)
            for _ in 0..<width { accumulators.append(_AggregateAccumulator()) }
        }
        note(number, raw)
        return number
    }

    /// Notes the number of an integer that is near the first one.
    private mutating func note(_ number: Int, _ raw: _RawValue) {
        guard case .word(let word) = raw, type == .int || type == .bool else { return }
        if near.isEmpty {
            near = Array(repeating: -1, count: Self.nearCount)
            nearStart = word &- Int64(Self.nearCount / 2)
        }
        let place = word &- nearStart
        if place >= 0, place < near.count, number <= Int32.max {
            near[Int(place)] = Int32(truncatingIfNeeded: number)
        }
    }

    /// Counts a row of a group.
    @inline(__always)
    mutating func count(_ number: Int) { counts[number] &+= 1 }

    /// Adds up values of a property: calls `body` with what gives the place of a group's sum.
    @inline(__always)
    mutating func withAccumulators(
        _ body: (UnsafeMutableBufferPointer<_AggregateAccumulator>, _ width: Int) throws -> Void
    ) rethrows {
        let width = width
        try accumulators.withUnsafeMutableBufferPointer { try body($0, width) }
    }

    /// The numbers of the groups in the order of their values, nil first.
    var order: [Int] {
        keys.indices.sorted {
            let order = RowSorter.order(keys[$0], keys[$1], type)
            return order == 0 ? $0 < $1 : order < 0
        }
    }
}
