/// The leaf that an element of a large collection was last found in by its position.
///
/// A loop over positions, as `map`, `firstIndex(where:)`, `reversed()` and slices run it, goes down
/// the tree once for each leaf, and reads each leaf once. A realm has one finger: two collections
/// whose elements are asked for alternately take it from each other, and each element costs the way
/// down.
///
/// Invariant: the bytes are a copy, so that nothing that is read or written in between moves them;
/// they are right while the realm's generation and count of changes are what they were.
final class CollectionFinger {
    @exclusivity(unchecked) private var owner: CollectionOwner?
    @exclusivity(unchecked) private var generation: UInt64 = 0
    @exclusivity(unchecked) private var changeCount: UInt64 = 0
    /// The positions of the leaf's elements in the collection.
    @exclusivity(unchecked) private var positions = 0..<0
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// The element found last, within the leaf, and the offset of its bytes.
    @exclusivity(unchecked) private var index = 0
    @exclusivity(unchecked) private var offset = 0

    /// Calls `body` with the element at a position if it is in the leaf; nil if it is not.
    func element<Result>(
        at position: Int, of storage: CollectionStorage, _ body: (RunElement) throws -> Result
    ) throws -> Result? {
        guard positions.contains(position), owner == storage.owner,
            generation == storage.session.generation.pointee.number,
            changeCount == storage.session.counts.changeCount
        else { return nil }
        let run = storage.run
        let wanted = position - positions.lowerBound
        // Held, as `body` may ask for an element of another collection.
        let bytes = bytes
        return try bytes.withUnsafeBytes { buffer in
            if wanted < index || run.stride != nil {
                offset = run.offset(of: wanted, in: buffer)
            } else {
                for _ in index..<wanted {
                    guard let element = run.element(at: offset, in: buffer) else { return nil }
                    offset = element.next
                }
            }
            index = wanted
            return try run.element(at: offset, in: buffer).map(body)
        }
    }

    /// Takes the leaf with a position.
    func take(_ leaf: CollectionTree.Leaf, of storage: CollectionStorage) throws {
        owner = nil
        try storage.session.unstored.nodes.withNode(leaf.node, of: storage.owner, storage.session) {
            found in
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: found)
        }
        owner = storage.owner
        generation = storage.session.generation.pointee.number
        changeCount = storage.session.counts.changeCount
        positions = leaf.positions
        index = 0
        offset = 0
    }

    /// Gives the leaf up.
    func reset() {
        owner = nil
        bytes = []
    }
}

extension CollectionStorage {
    /// Calls `body` with the element at a position; nil if there is none. Reads the nodes on the
    /// way to it, and none if it is in the leaf of the one before.
    func element<Result>(
        at position: Int, _ body: (RunElement) throws -> Result
    ) throws -> Result? {
        guard position >= 0 else { return nil }
        let finger = session.found.finger
        if let found = try finger.element(at: position, of: self, body) { return found }
        var found: Result?
        let piece = try withPiece { bytes in
            let piece = CollectionPiece(bytes)
            if case .inline(let count) = piece, position < count {
                try visitInline(bytes, from: position) {
                    found = try body($0)
                    return false
                }
            }
            return piece
        }
        guard let tree = CollectionTree(session, owner, run, piece),
            let leaf = try tree.leaf(at: position)
        else { return found }
        try finger.take(leaf, of: self)
        guard let element = try finger.element(at: position, of: self, body) else {
            throw CollectionTree.damage
        }
        return element
    }
}

extension CollectionTree {
    /// A leaf, and the positions of its elements in the collection.
    struct Leaf {
        let node: UInt32
        let positions: Range<Int>
    }

    /// The leaf with the element at a position; nil if there is none.
    func leaf(at position: Int) throws -> Leaf? {
        guard position < count else { return nil }
        try checkHeight()
        var node = root
        var positions = 0..<count
        for _ in 1..<height {
            let found = try session.unstored.nodes.withNode(node, of: owner, session) {
                try Self.child(of: $0, at: position - positions.lowerBound)
            }
            // A count that exceeds what the node above says is damage.
            guard let (entry, before) = found, before + entry.count <= positions.count else {
                throw Self.damage
            }
            node = entry.node
            let start = positions.lowerBound + before
            positions = start..<start + entry.count
        }
        return Leaf(node: node, positions: positions)
    }

    /// The child of an inner node with an element, and how many elements are before it.
    private static func child(
        of bytes: UnsafeRawBufferPointer, at position: Int
    ) throws -> (entry: Entry, before: Int)? {
        var before = 0
        for offset in entryOffsets(in: bytes) {
            let entry = entry(at: offset, in: bytes)
            let end = try sum(before, entry.count)
            if position < end { return (entry, before) }
            before = end
        }
        return nil
    }

    /// Replaces one element by another in its leaf; false if the leaf must be split for it.
    mutating func replace(at position: Int, with batch: ElementBatch) throws -> Bool {
        guard batch.count == 1, let leaf = try leaf(at: position) else { return false }
        let index = position - leaf.positions.lowerBound
        let found = try session.unstored.nodes.withNode(
            leaf.node, of: owner, session, verified: true
        ) { bytes in
            let start = run.offset(of: index, in: bytes)
            let end = run.element(at: start, in: bytes)?.next
            return end.map { (bounds: start..<$0, byteCount: bytes.count) }
        }
        guard let found else { throw Self.damage }
        let byteCount = found.byteCount - found.bounds.count + batch.bytes.count
        if byteCount > max(Self.leafByteCountMax, found.byteCount) { return false }
        var bytes = try session.unstored.nodes.take(leaf.node, of: owner, session)
        bytes.replaceSubrange(found.bounds, with: batch.bytes)
        try session.unstored.nodes.put(bytes, leaf.node, of: owner, session)
        return true
    }
}
