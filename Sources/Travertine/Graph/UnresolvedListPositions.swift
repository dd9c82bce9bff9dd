/// Where links of large lists wait, so that the place of one whose target comes is found without
/// going through those before it.
///
/// The truth is in the records; this is made of them when a large list is met first, follows each
/// link that is written down or taken out, and is thrown away when it may be wrong.
struct UnresolvedListPositions {
    /// A list of an object.
    struct Place: Hashable {
        let source: String
        let key: UInt64
        let property: String

        init(_ link: UnresolvedLink) {
            source = link.source
            key = link.sourceKey
            property = link.property
        }
    }

    /// Lists in which fewer links wait before the one that comes are counted each time.
    static let countedMax = 64
    /// The most positions that are kept.
    private static let positionCountMax = 8 << 20

    private var lists: [Place: CountedPositions] = [:]
    private var positionCount = 0

    mutating func removeAll() {
        if !lists.isEmpty { lists.removeAll() }
        positionCount = 0
    }

    /// How many links of a list wait before a position; nil if that is not known.
    func count(before position: UInt32, in place: Place) -> Int? {
        lists.isEmpty ? nil : lists[place]?.count(before: position)
    }

    /// Keeps the positions at which links of a list wait, in ascending order.
    mutating func keep(_ positions: [UInt32], of place: Place) {
        if positionCount + positions.count > Self.positionCountMax { removeAll() }
        lists[place] = CountedPositions(positions)
        positionCount += positions.count
    }

    /// Notes that a link waits no more.
    mutating func remove(_ link: UnresolvedLink) {
        if lists.isEmpty { return }
        lists[Place(link)]?.remove(link.position)
    }

    /// Forgets a list in which another link waits.
    mutating func forget(_ link: UnresolvedLink) {
        if lists.isEmpty { return }
        if let old = lists.removeValue(forKey: Place(link)) { positionCount -= old.count }
    }
}

/// Positions that are taken out one by one, and counted in logarithmic time (a Fenwick tree).
struct CountedPositions {
    private let positions: [UInt32]
    /// At `i` how many of the `i & -i` positions up to the `i`-th are still there.
    private var sums: [UInt32]
    private var isThere: [Bool]

    /// Positions in ascending order.
    init(_ positions: [UInt32]) {
        self.positions = positions
        isThere = Array(repeating: true, count: positions.count)
        sums = (0...positions.count).map { UInt32($0 & -$0) }
    }

    /// How many there were.
    var count: Int { positions.count }

    /// How many are there before a position.
    func count(before position: UInt32) -> Int {
        var place = self.place(position)
        var sum = 0
        while place > 0 {
            sum += Int(sums[place])
            place &= place - 1
        }
        return sum
    }

    /// Takes a position out; does nothing if it is not there.
    mutating func remove(_ position: UInt32) {
        var place = self.place(position)
        guard place < positions.count, positions[place] == position, isThere[place] else { return }
        isThere[place] = false
        place += 1
        while place < sums.count {
            sums[place] -= 1
            place += place & -place
        }
    }

    /// How many there were before a position.
    private func place(_ position: UInt32) -> Int {
        var low = 0
        var high = positions.count
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
