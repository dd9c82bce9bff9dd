/// Where one token, or all that begin so, is in the texts of some objects.
struct TokenPositions {
    /// The objects, ascending.
    let objects: [UInt64]
    /// The objects that have a token so often that its positions are in separate entries, by their
    /// places in `objects`.
    private(set) var apart: [(token: [UInt8], place: Int)] = []

    /// The place of an object in the upper half, one of its positions in the lower half.
    private var found: [UInt64] = []
    /// Whether `found` is in order.
    private var isOrdered = true
    /// By object: where its positions begin in `found`; and the end of all.
    private var starts: [Int] = []
    private var entry = PostingEntry()
    /// The place of the object that is looked for next.
    private var next = 0
    /// Whether the entries come in the order of their objects.
    private let isSorted: Bool

    init(_ objects: [UInt64], isSorted: Bool) {
        self.objects = objects
        self.isSorted = isSorted
        found.reserveCapacity(objects.count)
    }

    // MARK: Reading entries

    /// Reads what an entry says about the objects; false if its bytes are no postings.
    mutating func read(
        _ key: UnsafeRawBufferPointer, at start: Int, of range: PostingRange, _ count: UInt64
    ) -> Bool {
        next = SortedKeys.position(
            in: objects, notBefore: range.first, from: isSorted ? next : 0)
        guard next < objects.count, objects[next] <= range.last else { return true }
        guard entry.load(key, at: start, of: range, count) else { return false }
        let entry = entry
        var place = next
        var areSound = true
        let isWhole = entry.forEachPositions(in: key) { index, positions in
            let object = entry.objects[index]
            while place < objects.count, objects[place] < object { place += 1 }
            guard place < objects.count, objects[place] == object else { return }
            if entry.counts[index] > UInt64(PostingFormat.positionCountMax) {
                let end = PostingFormat.tokenEnd(in: key) ?? 0
                apart.append((Array(key[..<end]), place))
            } else if !add(positions, entry.counts[index], from: nil, place) {
                areSound = false
            }
        }
        next = place
        return isWhole && areSound
    }

    /// Reads an entry of positions of an object; false if its bytes are none.
    ///
    /// - Parameters:
    ///   - start: where the first position is in the key.
    ///   - count: the number of positions.
    mutating func readApart(
        _ key: UnsafeRawBufferPointer, at start: Int, _ count: UInt64, _ place: Int
    ) -> Bool {
        guard start + 4 <= key.count, count > 0 else { return false }
        let first = UInt32(bigEndian: key.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        guard UInt64(first) <= PostingFormat.positionMax else { return false }
        return add(
            UnsafeRawBufferPointer(rebasing: key[(start + 4)...]), count, from: UInt64(first),
            place)
    }

    /// Adds positions; false if the bytes have not as many.
    ///
    /// - Parameter first: the first one, if the bytes are of those after it.
    @inline(__always)
    private mutating func add(
        _ positions: UnsafeRawBufferPointer, _ count: UInt64, from first: UInt64?, _ place: Int
    ) -> Bool {
        var offset = 0
        var rest = count
        var next: UInt64 = 0
        if let first {
            append(first, place)
            next = first + 1
            rest -= 1
        }
        while rest > 0 {
            guard let distance = PostingFormat.varint(in: positions, at: &offset),
                distance <= PostingFormat.positionMax, next + distance <= PostingFormat.positionMax
            else { return false }
            append(next + distance, place)
            next += distance + 1
            rest -= 1
        }
        return true
    }

    @inline(__always)
    private mutating func append(_ position: UInt64, _ place: Int) {
        let new = UInt64(truncatingIfNeeded: place) << 32 | position
        if let last = found.last, last > new { isOrdered = false }
        found.append(new)
    }

    /// Ends reading: from now on positions are asked for.
    mutating func finish() {
        if !isOrdered { found.sort() }
        starts.removeAll()
        starts.reserveCapacity(objects.count + 1)
        var position = 0
        for place in objects.indices {
            starts.append(position)
            while position < found.count, found[position] >> 32 == UInt64(place) { position += 1 }
        }
        starts.append(position)
    }

    // MARK: Positions

    /// Puts the positions of an object in place of those of a list; gives whether there are any.
    @inline(__always)
    func copy(_ place: Int, to positions: inout [Int32]) -> Bool {
        positions.removeAll(keepingCapacity: true)
        for position in starts[place]..<starts[place + 1] {
            positions.append(Int32(truncatingIfNeeded: found[position]))
        }
        return !positions.isEmpty
    }
}
