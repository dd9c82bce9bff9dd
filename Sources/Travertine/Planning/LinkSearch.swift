import TravertineStore

/// A search for objects whose links lead to objects that are found first.
struct LinkSearch {
    /// How the linked objects are found.
    indirect enum Targets {
        case keys([UInt64])
        case path(AccessPath)
        /// The property is read in every row of the target's table.
        case rows(IndexRanges)
    }

    struct Hop {
        let slot: Int
        let backlinks: KeyspaceID
        /// The type of the target, where entries begin with it.
        let type: UInt32?
        /// The table of the objects that link.
        let table: TableState
    }

    /// The links, from the objects that are looked for to the targets.
    let hops: [Hop]
    let target: TableState
    let targets: Targets
    /// The last property, if the condition is on one of the target's.
    let slot: Int?
    let values: AllowedValues?
}
