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
}
