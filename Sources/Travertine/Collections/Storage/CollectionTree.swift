import TravertineStore

/// A large list: a counted tree of nodes.
///
/// Invariants:
/// 1. A leaf holds elements, at most `leafByteCountMax` bytes unless a single one is larger; it is
///    never empty. An inner node holds entries of a child's number and its count of elements (u32,
///    u64), 1 to `childCountMax` of them, in order.
/// 2. All leaves are at the same depth: `height` 1 is a single leaf.
/// 3. A node's number is never used again within its list.
///
/// Finding, replacing and appending an element touch one node per level.
struct CollectionTree {
    static let leafByteCountMax = 4096
    static let childCountMax = 256
    /// The greatest height of a tree in bytes from a disk: a higher one would hold more than there
    /// can be.
    static let soundHeights = 1...16
    private static let entryByteCount = 12

    let session: RealmSession
    let owner: CollectionOwner
    let run: ElementRun
    var height: Int
    var root: UInt32
    var next: UInt32
    var count: Int

    /// A child of an inner node.
    struct Entry {
        var node: UInt32
        var count: Int
    }

    init(_ session: RealmSession, _ owner: CollectionOwner, _ run: ElementRun) {
        self.session = session
        self.owner = owner
        self.run = run
        height = 0
        root = 0
        next = 1
        count = 0
    }

    init?(
        _ session: RealmSession, _ owner: CollectionOwner, _ run: ElementRun,
        _ piece: CollectionPiece
    ) {
        guard case .tree(let height, let root, let next, let count) = piece else { return nil }
        self.init(session, owner, run)
        self.height = height
        self.root = root
        self.next = next
        self.count = count
    }

    var piece: CollectionPiece {
        count == 0
            ? .inline(count: 0) : .tree(height: height, root: root, next: next, count: count)
    }

    // MARK: Reading

    /// Calls `body` with the elements from a position on until it returns false.
    func forEach(from start: Int, _ body: (RunElement) throws -> Bool) throws {
        if count == 0 { return }
        try checkHeight()
        _ = try visit(root, height, start, body)
    }

    private func visit(
        _ node: UInt32, _ level: Int, _ start: Int, _ body: (RunElement) throws -> Bool
    ) throws -> Bool {
        if level == 1 {
            return try session.unstored.nodes.withNode(node, of: owner, session) { bytes in
                var offset = run.offset(of: start, in: bytes)
                while let element = run.element(at: offset, in: bytes) {
                    if try !body(element) { return false }
                    offset = element.next
                }
                return true
            }
        }
        var start = start
        for entry in try entries(of: node) {
            if start >= entry.count {
                start -= entry.count
                continue
            }
            if try !visit(entry.node, level - 1, start, body) { return false }
            start = 0
        }
        return true
    }

    func entries(of node: UInt32, verified: Bool = false) throws -> [Entry] {
        let entries = try session.unstored.nodes.withNode(
            node, of: owner, session, verified: verified
        ) {
            Self.decode($0)
        }
        if entries.isEmpty { throw Self.damage }
        return entries
    }

    static var damage: StoreError {
        StoreError(
            .damaged,
            "The nodes of a large collection contradict each other. Run `travertine fsck`.")
    }

    /// A node that is its own child ends the walk here as well: no walk is longer than the height.
    func checkHeight() throws {
        guard 1..<255 ~= height else { throw Self.damage }
    }

    static func sum(_ left: Int, _ right: Int) throws -> Int {
        let (sum, overflows) = left.addingReportingOverflow(right)
        if overflows { throw damage }
        return sum
    }

    private static func total(_ entries: some Sequence<Entry>) throws -> Int {
        try entries.reduce(0) { try sum($0, $1.count) }
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) -> [Entry] {
        entryOffsets(in: bytes).map { entry(at: $0, in: bytes) }
    }

    static func entryOffsets(in bytes: UnsafeRawBufferPointer) -> StrideTo<Int> {
        stride(from: 0, to: bytes.count - entryByteCount + 1, by: entryByteCount)
    }

    static func entry(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Entry {
        let node = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let count = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt64.self)
        return Entry(
            node: UInt32(littleEndian: node),
            count: Int(clamping: UInt64(littleEndian: count)))
    }

    private func put(_ entries: [Entry], _ node: UInt32) throws {
        var writer = ByteWriter(reservingByteCount: entries.count * Self.entryByteCount)
        for entry in entries {
            writer.append(entry.node)
            writer.append(UInt64(entry.count))
        }
        try session.unstored.nodes.put(writer.bytes, node, of: owner, session)
    }

    // MARK: Inserting

    /// Inserts elements before a position.
    mutating func insert(_ batch: ElementBatch, at position: Int) throws {
        if batch.count == 0 { return }
        var added: [Entry]
        if count == 0 {
            height = 1
            added = try storeLeaves(batch.bytes, firstNode: try takeNumber(), cutsFull: true)
        } else {
            try checkHeight()
            added = try insert(batch, into: root, height, at: position)
        }
        count = try Self.sum(count, batch.count)
        guard try Self.total(added) == count else { throw Self.damage }
        while added.count > 1 {
            added = try storeInner(added, firstNode: try takeNumber(), cutsFull: true)
            height += 1
        }
        root = added[0].node
    }

    private mutating func insert(
        _ batch: ElementBatch, into node: UInt32, _ level: Int, at position: Int
    ) throws -> [Entry] {
        if level == 1 {
            var bytes = try session.unstored.nodes.take(node, of: owner, session)
            let offset = bytes.withUnsafeBytes { run.offset(of: position, in: $0) }
            let isAtEnd = offset == bytes.count
            bytes.insert(contentsOf: batch.bytes, at: offset)
            return try storeLeaves(bytes, firstNode: node, cutsFull: isAtEnd)
        }
        var entries = try entries(of: node, verified: true)
        var index = 0
        var rest = position
        while index < entries.count - 1, rest > entries[index].count {
            rest -= entries[index].count
            index += 1
        }
        let isAtEnd = index == entries.count - 1
        let replaced = try insert(batch, into: entries[index].node, level - 1, at: rest)
        entries.replaceSubrange(index...index, with: replaced)
        return try storeInner(entries, firstNode: node, cutsFull: isAtEnd)
    }

    /// Stores elements in as many leaves as they need; full ones if more will follow at the end.
    private mutating func storeLeaves(
        _ bytes: [UInt8], firstNode: UInt32, cutsFull: Bool
    ) throws -> [Entry] {
        if bytes.count <= Self.leafByteCountMax, let stride = run.stride {
            try session.unstored.nodes.put(bytes, firstNode, of: owner, session)
            return [Entry(node: firstNode, count: bytes.count / stride)]
        }
        let limit =
            cutsFull || bytes.count <= Self.leafByteCountMax
            ? Self.leafByteCountMax : max(Self.leafByteCountMax / 2, 1)
        var stored: [Entry] = []
        var start = 0
        var offset = 0
        var elementCount = 0
        func cuts() -> [(Range<Int>, Int)] {
            var cuts: [(Range<Int>, Int)] = []
            bytes.withUnsafeBytes { buffer in
                while let element = run.element(at: offset, in: buffer) {
                    if elementCount > 0, element.next - start > limit {
                        cuts.append((start..<offset, elementCount))
                        start = offset
                        elementCount = 0
                    }
                    elementCount += 1
                    offset = element.next
                }
            }
            if elementCount > 0 { cuts.append((start..<offset, elementCount)) }
            return cuts
        }
        for (range, elementCount) in cuts() {
            let node = stored.isEmpty ? firstNode : try takeNumber()
            try session.unstored.nodes.put(Array(bytes[range]), node, of: owner, session)
            stored.append(Entry(node: node, count: elementCount))
        }
        if stored.isEmpty { throw Self.damage }
        return stored
    }

    private mutating func storeInner(
        _ entries: [Entry], firstNode: UInt32, cutsFull: Bool
    ) throws -> [Entry] {
        if entries.count <= Self.childCountMax {
            try put(entries, firstNode)
            return [Entry(node: firstNode, count: try Self.total(entries))]
        }
        let limit = cutsFull ? Self.childCountMax : Self.childCountMax / 2
        var stored: [Entry] = []
        for start in stride(from: 0, to: entries.count, by: limit) {
            let part = Array(entries[start..<min(start + limit, entries.count)])
            let node = stored.isEmpty ? firstNode : try takeNumber()
            try put(part, node)
            stored.append(Entry(node: node, count: try Self.total(part)))
        }
        return stored
    }

    private mutating func takeNumber() throws -> UInt32 {
        if next == .max { throw Self.damage }
        defer { next += 1 }
        return next
    }

    // MARK: Removing

    /// Removes the elements of a range.
    mutating func remove(_ range: Range<Int>) throws {
        if range.isEmpty { return }
        try checkHeight()
        let rest = try remove(range, from: root, height)
        count -= range.count
        guard rest?.count ?? 0 == count else { throw Self.damage }
        guard let rest else {
            self = CollectionTree(session, owner, run)
            return
        }
        root = rest.node
        while height > 1 {
            let entries = try entries(of: root, verified: true)
            guard entries.count == 1 else { return }
            session.unstored.nodes.delete(root, of: owner)
            root = entries[0].node
            height -= 1
        }
    }

    private func remove(_ range: Range<Int>, from node: UInt32, _ level: Int) throws -> Entry? {
        if level == 1 {
            var bytes = try session.unstored.nodes.take(node, of: owner, session)
            var left = 0
            bytes.withUnsafeBytes { buffer in
                let start = run.offset(of: range.lowerBound, in: buffer)
                let end = run.offset(of: range.upperBound, in: buffer)
                left = start..<end == 0..<buffer.count ? 0 : 1
            }
            if left == 0 {
                session.unstored.nodes.delete(node, of: owner)
                return nil
            }
            let bounds = bytes.withUnsafeBytes { buffer in
                run.offset(
                    of: range.lowerBound, in: buffer)..<run.offset(
                        of: range.upperBound, in: buffer)
            }
            bytes.removeSubrange(bounds)
            let count = bytes.withUnsafeBytes { buffer in
                var offset = 0
                var count = 0
                while let element = run.element(at: offset, in: buffer) {
                    offset = element.next
                    count += 1
                }
                return count
            }
            try session.unstored.nodes.put(bytes, node, of: owner, session)
            return Entry(node: node, count: count)
        }
        var remaining: [Entry] = []
        var start = 0
        for entry in try entries(of: node, verified: true) {
            let end = try Self.sum(start, entry.count)
            let part = range.clamped(to: start..<end)
            if part.isEmpty {
                remaining.append(entry)
            } else {
                let inside = part.lowerBound - start..<part.upperBound - start
                if let rest = try remove(inside, from: entry.node, level - 1) {
                    remaining.append(rest)
                }
            }
            start = end
        }
        if remaining.isEmpty {
            session.unstored.nodes.delete(node, of: owner)
            return nil
        }
        try put(remaining, node)
        return Entry(node: node, count: try Self.total(remaining))
    }
}
