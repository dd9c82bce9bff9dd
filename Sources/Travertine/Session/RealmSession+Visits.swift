/// What debug builds count of what is read, for tests of what methods cost. Release builds count
/// nothing.
enum Visit {
    /// A node of a large collection.
    case node
    /// The row of an object, or one that a query looks at.
    case row
    /// An object that links to another, found as one that does.
    case link
    /// An observation that is asked whether changes concern it.
    case observation
}

extension RealmSession {
    @inline(__always)
    func noteVisit(_ visit: Visit) {
        #if DEBUG
            switch visit {
            case .node: visits.nodes += 1
            case .row: visits.rows += 1
            case .link: visits.links += 1
            case .observation: visits.observations += 1
            }
        #endif
    }
}

extension TableState {
    /// The same of a table's rows; release builds do not even look for the session.
    @inline(__always)
    func noteVisits(_ visit: Visit, _ count: Int = 1) {
        #if DEBUG
            for _ in 0..<count { session.noteVisit(visit) }
        #endif
    }
}
