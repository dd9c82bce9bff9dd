/// The objects of observed results in their order, by positions: an object comes or goes at the
/// cost of one chunk of keys, however many there are.
///
/// Invariants: no chunk is empty or has more than `chunkCountMax` keys; `counts` are the numbers of
/// keys of the chunks, and `count` is their sum.
struct ResultKeys {
    static let chunkCountMax = 512

    /// Where a key is, or where it would be inserted.
    struct Place {
        var chunk: Int
        var offset: Int
    }

    /// Room is left in each chunk, so that the next insertions split none.
    static let chunkFill = chunkCountMax * 3 / 4

    private(set) var chunks: [[ResultKey]] = []
    private(set) var counts: [Int32] = []
    private(set) var count = 0

    init() {}

    init(_ keys: some Sequence<ResultKey>) {
        var chunk: [ResultKey] = []
        for key in keys {
            if chunk.isEmpty { chunk.reserveCapacity(Self.chunkFill) }
            chunk.append(key)
            if chunk.count == Self.chunkFill {
                append(chunk)
                chunk = []
            }
        }
        if !chunk.isEmpty { append(chunk) }
    }

    /// Appends a chunk that is not empty and not too large.
    mutating func append(_ chunk: [ResultKey]) {
        chunks.append(chunk)
        counts.append(Int32(chunk.count))
        count += chunk.count
    }

    /// The keys in their order.
    var all: [ResultKey] {
        var keys: [ResultKey] = []
        keys.reserveCapacity(count)
        for chunk in chunks { keys += chunk }
        return keys
    }

    // MARK: Looking

    /// The first place of which `isBefore` is false for the key; `isBefore` is true for a first
    /// part of the keys and false for the rest.
    func place(_ isBefore: (ResultKey) throws -> Bool) rethrows -> Place {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if try isBefore(chunks[middle][0]) { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return Place(chunk: 0, offset: 0) }
        let chunk = low - 1
        let keys = chunks[chunk]
        (low, high) = (1, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if try isBefore(keys[middle]) { low = middle + 1 } else { high = middle }
        }
        return Place(chunk: chunk, offset: low)
    }

    /// The key at a place; nil at the end.
    func key(at place: Place) -> ResultKey? {
        guard place.chunk < chunks.count else { return nil }
        if place.offset < chunks[place.chunk].count { return chunks[place.chunk][place.offset] }
        return place.chunk + 1 < chunks.count ? chunks[place.chunk + 1][0] : nil
    }

    /// How many keys are before a place.
    func position(of place: Place) -> Int {
        counts.withUnsafeBufferPointer { counts in
            var position = place.offset
            for chunk in 0..<place.chunk { position += Int(counts[chunk]) }
            return position
        }
    }

    // MARK: Changing

    mutating func insert(_ key: ResultKey, at place: Place) {
        count += 1
        guard place.chunk < chunks.count else {
            chunks.append([key])
            counts.append(1)
            return
        }
        chunks[place.chunk].insert(key, at: place.offset)
        counts[place.chunk] += 1
        let filled = chunks[place.chunk].count
        guard filled > Self.chunkCountMax else { return }
        let half = filled / 2
        let rest = Array(chunks[place.chunk][half...])
        chunks[place.chunk].removeSubrange(half...)
        counts[place.chunk] = Int32(half)
        chunks.insert(rest, at: place.chunk + 1)
        counts.insert(Int32(rest.count), at: place.chunk + 1)
    }

    /// Removes the key at a position.
    mutating func remove(at position: Int) {
        precondition(position >= 0 && position < count, "a key is removed that is not there")
        var (chunk, offset) = (0, position)
        while offset >= Int(counts[chunk]) {
            offset -= Int(counts[chunk])
            chunk += 1
        }
        chunks[chunk].remove(at: offset)
        counts[chunk] -= 1
        count -= 1
        if counts[chunk] == 0 {
            chunks.remove(at: chunk)
            counts.remove(at: chunk)
        } else {
            joinNeighbours(at: chunk)
        }
    }

    /// Makes one chunk of two that are small, so that deletions leave no row of tiny ones.
    private mutating func joinNeighbours(at chunk: Int) {
        let next = chunk + 1
        guard next < chunks.count, Int(counts[chunk] + counts[next]) < Self.chunkCountMax / 4
        else { return }
        chunks[chunk] += chunks[next]
        counts[chunk] += counts[next]
        chunks.remove(at: next)
        counts.remove(at: next)
    }

    /// Stops if an invariant is broken; for tests.
    func checkInvariants() {
        precondition(chunks.count == counts.count)
        precondition(count == counts.reduce(0) { $0 + Int($1) })
        for (chunk, count) in zip(chunks, counts) {
            precondition(chunk.count == Int(count) && count > 0)
            precondition(chunk.count <= Self.chunkCountMax)
        }
    }
}
