/// What the paths in a condition have in common: the collection of whose elements they are.
enum QueryScope: Equatable {
    /// No path goes through a collection.
    case object
    /// Every path goes through this collection first.
    case elements(of: PropertyPath)
    /// The paths go through these collections first; nil is that a path goes through none.
    case several([PropertyPath?])

    init(_ collection: PropertyPath?) {
        self = collection.map { .elements(of: $0) } ?? .object
    }

    /// The collections, each once.
    var collections: [PropertyPath?] {
        switch self {
        case .object: [nil]
        case .elements(let collection): [collection]
        case .several(let collections): collections
        }
    }

    /// The scope of a condition with the paths of both.
    func union(_ other: QueryScope) -> QueryScope {
        if self == other { return self }
        var all = collections
        for collection in other.collections where !all.contains(collection) {
            all.append(collection)
        }
        return all.count == 1 ? QueryScope(all[0]) : .several(all)
    }
}
