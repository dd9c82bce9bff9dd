/// A comparison of how many links lead to an object with a number.
struct LinkCountComparison: Hashable, Sendable {
    /// One of the six of values.
    let operation: Comparison.Operation
    let number: Int64

    @inline(__always)
    func holds(_ count: Int64) -> Bool { operation.holds(count, number) }
}

/// How many of the objects that entries of backlinks lead to fulfil a comparison.
///
/// Entries are in the order of their targets, and those of one target can lie in several nodes. So
/// the first and the last target are kept with what was counted of them, and only those in between
/// are compared; adding what comes after joins the two halves.
struct LinkCountSummary: NodeSummary {
    private struct Target {
        var key: UInt64 = 0
        var count: Int64 = 0
    }

    private var comparison: LinkCountComparison?
    private var first = Target()
    /// The same as `first` if there is one target only.
    private var last = Target()
    /// The number of targets.
    private(set) var targetCount = 0
    /// Of those between the first and the last one.
    private var innerMatchCount = 0

    static var none: LinkCountSummary { LinkCountSummary() }

    private init() {}

    init(_ comparison: LinkCountComparison) { self.comparison = comparison }

    /// Adds links to a target; those of one target follow one another.
    @inline(__always)
    mutating func add(_ count: Int64, to key: UInt64, _ comparison: LinkCountComparison) {
        if targetCount > 0, last.key == key {
            last.count = last.count.addingLinks(count)
            if targetCount == 1 { first = last }
            return
        }
        if targetCount > 1, comparison.holds(last.count) { innerMatchCount += 1 }
        last = Target(key: key, count: count)
        if targetCount == 0 { first = last }
        targetCount += 1
    }

    mutating func add(_ other: LinkCountSummary) {
        guard other.targetCount > 0, let comparison = other.comparison else { return }
        if targetCount == 0 {
            self = other
            return
        }
        // It may be the same target as the last one here.
        add(other.first.count, to: other.first.key, comparison)
        if other.targetCount == 1 { return }
        if targetCount > 1, comparison.holds(last.count) { innerMatchCount += 1 }
        innerMatchCount += other.innerMatchCount
        last = other.last
        targetCount += other.targetCount - 1
    }

    /// How many targets fulfil the comparison.
    var matchCount: Int {
        guard let comparison, targetCount > 0 else { return 0 }
        var count = innerMatchCount
        if comparison.holds(first.count) { count += 1 }
        if targetCount > 1, comparison.holds(last.count) { count += 1 }
        return count
    }

    var extraByteCount: Int { 0 }
}

extension Int64 {
    /// The sum of two counts of links, which the disk may say anything of.
    func addingLinks(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? .max : sum
    }
}
