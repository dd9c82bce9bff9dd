/// The nearest rows of those that are offered: at most so many, within a distance, in order.
///
/// A heap with the farthest one first. Rows at one distance are in the order of their tables and
/// keys, whichever is offered first.
struct NearestRows {
    struct Entry: Comparable {
        var distance: Double
        /// The position of the table among those of the results.
        var part: Int
        var key: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.distance, left.part, left.key) < (right.distance, right.part, right.key)
        }
    }

    let limit: Int
    private let distanceMax: Double
    private var heap: [Entry] = []

    init(limit: Int, within distance: Double) {
        self.limit = limit
        distanceMax = distance
    }

    /// Whether there are as many as are asked for.
    var isFull: Bool { heap.count >= limit }

    /// No row that is farther away is taken.
    var reach: Double { isFull ? heap.first?.distance ?? -1 : distanceMax }

    /// Whether an entry would be taken.
    func takes(_ entry: Entry) -> Bool {
        guard entry.distance <= distanceMax else { return false }
        return !isFull || heap.first.map { entry < $0 } ?? false
    }

    /// Takes an entry, if it is nearer than one that is there.
    mutating func offer(_ entry: Entry) {
        guard takes(entry) else { return }
        if !isFull {
            heap.append(entry)
            raise(heap.count - 1)
            return
        }
        heap[0] = entry
        lower(0)
    }

    /// The rows, the nearest one first.
    var sorted: [Entry] { heap.sorted() }

    private mutating func raise(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard heap[parent] < heap[position] else { return }
            heap.swapAt(parent, position)
            position = parent
        }
    }

    private mutating func lower(_ start: Int) {
        var position = start
        while true {
            var greatest = position
            for child in [2 * position + 1, 2 * position + 2]
            where child < heap.count && heap[greatest] < heap[child] { greatest = child }
            if greatest == position { return }
            heap.swapAt(position, greatest)
            position = greatest
        }
    }
}
