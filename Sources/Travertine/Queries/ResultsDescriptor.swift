/// What is done with the rows that a query found; each takes what the one before it left.
enum ResultsDescriptor {
    case sorted([SortDescriptor])
    /// Of rows with equal values of these properties the first one only.
    case distinct([String])

    /// The names of the properties that are compared.
    var names: [String] {
        switch self {
        case .sorted(let descriptors): descriptors.map(\.keyPath)
        case .distinct(let names): names
        }
    }
}
