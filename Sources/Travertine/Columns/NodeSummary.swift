/// What the rows below a node amount to: those of two nodes are added.
protocol NodeSummary: Sendable {
    /// That of no rows.
    static var none: Self { get }
    mutating func add(_ other: Self)
    /// What it takes beside its own size.
    var extraByteCount: Int { get }
}

/// How many rows there are, or fulfil a condition.
struct RowCount: NodeSummary {
    var count = 0

    static var none: RowCount { RowCount() }

    mutating func add(_ other: RowCount) { count += other.count }

    var extraByteCount: Int { 0 }
}

/// What the values of a property amount to.
struct ValueSummary: NodeSummary {
    /// The values that are not nil.
    var count = 0
    /// Of integers and floating-point numbers.
    var sum = DoubleSum()
    /// In the order of index keys.
    var least: UInt64 = .max
    var greatest: UInt64 = 0

    static var none: ValueSummary { ValueSummary() }

    mutating func add(_ other: ValueSummary) {
        if other.count == 0 { return }
        count += other.count
        sum.add(other.sum)
        least = min(least, other.least)
        greatest = max(greatest, other.greatest)
    }

    var extraByteCount: Int { sum.extraByteCount }
}
