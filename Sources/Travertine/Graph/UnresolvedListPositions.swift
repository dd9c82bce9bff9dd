/// The positions of unresolved links in large lists, so that the position of one that is resolved
/// is found without reading those before it.
///
/// A cache of the records: filled from them when a large list is first used, updated with each link
/// that is added or removed, and dropped when it may be wrong.
struct UnresolvedListPositions {
    /// A list of an object.
    struct ListID: Hashable {
        let source: String
        let key: UInt64
        let property: String

        init(_ link: UnresolvedLink) {
            source = link.source
            key = link.sourceKey
            property = link.property
        }
    }

    /// Lists in which no more links wait before one that is resolved are counted each time.
    static let countedMax = 64
    /// The most positions that are cached.
    private static let positionCountMax = 8 << 20

    private var lists: [ListID: CountedPositions] = [:]
    private var positionCount = 0

    mutating func removeAll() {
        if !lists.isEmpty { lists.removeAll() }
        positionCount = 0
    }

    /// How many links of a list wait before a position; nil if the list is not cached.
    func count(before position: UInt32, in list: ListID) -> Int? {
        lists.isEmpty ? nil : lists[list]?.count(before: position)
    }

    /// Caches the positions at which links of a list wait, in ascending order.
    mutating func insert(_ positions: [UInt32], of list: ListID) {
        if positionCount + positions.count > Self.positionCountMax { removeAll() }
        lists[list] = CountedPositions(positions)
        positionCount += positions.count
    }

    /// Removes a link that is resolved.
    mutating func remove(_ link: UnresolvedLink) {
        if lists.isEmpty { return }
        lists[ListID(link)]?.remove(link.position)
    }

    /// Drops the list of a link that is added.
    mutating func dropList(of link: UnresolvedLink) {
        if lists.isEmpty { return }
        if let old = lists.removeValue(forKey: ListID(link)) { positionCount -= old.count }
    }
}

/// Positions that are removed one by one and counted in logarithmic time (a Fenwick tree).
struct CountedPositions {
    private let positions: [UInt32]
    /// At `i` how many of the `i & -i` positions up to the `i`-th are still there.
    private var sums: [UInt32]
    private var isPresent: [Bool]

    /// Positions in ascending order.
    init(_ positions: [UInt32]) {
        self.positions = positions
        isPresent = Array(repeating: true, count: positions.count)
        sums = (0...positions.count).map { UInt32($0 & -$0) }
    }

    /// How many there were.
    var count: Int { positions.count }

    /// How many are there before a position.
    func count(before position: UInt32) -> Int {
        var index = rank(position)
        var sum = 0
        while index > 0 {
            sum += Int(sums[index])
            index &= index - 1
        }
        return sum
    }

    /// Removes a position; does nothing if it is not there.
    mutating func remove(_ position: UInt32) {
        var index = rank(position)
        guard index < positions.count, positions[index] == position, isPresent[index] else {
            return
        }
        isPresent[index] = false
        index += 1
        while index < sums.count {
            sums[index] -= 1
            index += index & -index
        }
    }

    /// How many there were before a position.
    private func rank(_ position: UInt32) -> Int {
        positions.partitioningIndex { $0 >= position }
    }
}
