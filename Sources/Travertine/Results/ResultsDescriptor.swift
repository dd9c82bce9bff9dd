/// What is done with the rows that a query found; each takes what the one before it left.
enum ResultsDescriptor: Hashable {
    case sorted([SortDescriptor])
    /// Of rows with equal values of these properties the first one only.
    case distinct([String])
    /// So many rows from an offset on.
    case limited(offset: Int, count: Int)
    /// A condition that comes after a limit.
    case filtered(Predicate)

    /// The names of the properties that are compared.
    var names: [String] {
        switch self {
        case .sorted(let descriptors): descriptors.map(\.keyPath)
        case .distinct(let names): names
        case .limited, .filtered: []
        }
    }

    var isSorting: Bool {
        if case .sorted = self { return true }
        return false
    }
}

extension [ResultsDescriptor] {
    /// The descriptors with one more.
    ///
    /// What is sorted again keeps the former order among equals, so that two sorts in a row are
    /// one. So are two limits, and two conditions.
    func adding(_ descriptor: ResultsDescriptor) -> [ResultsDescriptor] {
        switch (last, descriptor) {
        case (.sorted(let former)?, .sorted(let new)):
            let names = Set(new.map(\.keyPath))
            return dropLast() + [.sorted(new + former.filter { !names.contains($0.keyPath) })]
        case (.limited(let offset, let count)?, .limited(let newOffset, let newCount)):
            let (sum, isBeyond) = offset.addingReportingOverflow(newOffset)
            let left = Swift.max(0, count - newOffset)
            return dropLast()
                + [.limited(offset: isBeyond ? .max : sum, count: Swift.min(newCount, left))]
        case (.filtered(let former)?, .filtered(let new)):
            return dropLast() + [.filtered(.all([former, new]))]
        default: return self + [descriptor]
        }
    }

    /// Whether rows are left out.
    var leavesOutRows: Bool { contains { !$0.isSorting } }

    /// Whether a further condition is on what a limit leaves.
    var hasLimit: Bool {
        contains {
            if case .limited = $0 { return true }
            return false
        }
    }

    /// The descriptors that the number of rows depends on. Where a condition or `distinct` follows
    /// a limit, that is which rows are left, and so the order.
    var counting: [ResultsDescriptor] {
        dependsOnOrder
            ? self
            : reduce(into: []) { counting, descriptor in
                if !descriptor.isSorting { counting = counting.adding(descriptor) }
            }
    }

    private var dependsOnOrder: Bool {
        var isLimited = false
        for descriptor in self {
            switch descriptor {
            case .sorted: break
            case .limited: isLimited = true
            case .distinct: if isLimited { return true }
            case .filtered: return true
            }
        }
        return false
    }
}
