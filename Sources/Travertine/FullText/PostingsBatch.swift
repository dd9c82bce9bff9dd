import TravertineStore

/// Changes of the postings of full-text indexes with positions that wait to be stored together,
/// by keyspace and token.
///
/// Of several changes of one token and object the last one counts. Entries that many changes fall
/// into are so written once.
final class PostingsBatch {
    /// What a token and an object have from now on.
    struct Change {
        let object: UInt64
        private let storedCount: UInt32
        private let start: UInt32
        private let byteCount: UInt32
        private let storedPrevious: Int32

        /// How often the object has the token; 0 if it has it no more.
        var count: UInt64 { UInt64(storedCount) }
        /// Where its positions are in the batch's bytes.
        fileprivate var positions: Range<Int> { Int(start)..<Int(start) + Int(byteCount) }
        /// The change of the same token before; -1 for the first.
        fileprivate var previous: Int { Int(storedPrevious) }

        /// Of a batch, which is less than 4 GB with the largest text.
        fileprivate init(object: UInt64, count: UInt64, positions: Range<Int>, previous: Int) {
            self.object = object
            storedCount = UInt32(count)
            start = UInt32(positions.lowerBound)
            byteCount = UInt32(positions.count)
            storedPrevious = Int32(previous)
        }
    }

    private struct Token {
        let keyspace: KeyspaceID
        let hash: UInt32
        let start: Int
        let byteCount: Int
        /// The newest change; -1 if there is none.
        var last = -1
    }

    /// The bytes that a batch collects before they are stored.
    @TaskLocal static var byteCountMax = 16 << 20

    /// `byteCountMax` when the batch was made.
    private let byteCountMax = PostingsBatch.byteCountMax
    @exclusivity(unchecked) private var tokens: [Token] = []
    @exclusivity(unchecked) private var changes: [Change] = []
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// By the hash of a token: its position in `tokens`, or -1.
    @exclusivity(unchecked) private var slots: [Int32] = Array(repeating: -1, count: 64)

    var isEmpty: Bool { changes.isEmpty }

    /// Whether it takes so much memory that its changes should be stored.
    var isFull: Bool {
        bytes.count + changes.count * MemoryLayout<Change>.stride
            + tokens.count * (MemoryLayout<Token>.stride + 8) >= byteCountMax
    }

    /// Takes all changes out.
    func removeAll() {
        tokens.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = -1 }
    }

    // MARK: Adding

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - key: the token, a 0, the object key and the positions, as `DerivedEntries` has it.
    ///   - count: the number of positions; 0 if the object has the token no more.
    func add(_ key: UnsafeRawBufferPointer, count: UInt64, in keyspace: KeyspaceID) {
        guard let end = key.firstIndex(of: 0), end + 9 <= key.count else { return }
        let token = position(of: UnsafeRawBufferPointer(rebasing: key[..<end]), in: keyspace)
        let start = bytes.count
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: key[(end + 9)...]))
        changes.append(
            Change(
                object: objectKey(in: key, at: end + 1), count: count,
                positions: start..<bytes.count, previous: tokens[token].last))
        tokens[token].last = changes.count - 1
    }

    private func position(of token: UnsafeRawBufferPointer, in keyspace: KeyspaceID) -> Int {
        if 2 * tokens.count >= slots.count { enlarge() }
        let hash = Self.hash(token, keyspace)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let known = Int(slots[slot])
            if tokens[known].hash == hash, tokens[known].keyspace == keyspace,
                withBytes(of: tokens[known], { $0.isSame(as: token) })
            {
                return known
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        let start = bytes.count
        bytes.append(contentsOf: token)
        tokens.append(Token(keyspace: keyspace, hash: hash, start: start, byteCount: token.count))
        slots[slot] = Int32(tokens.count - 1)
        return tokens.count - 1
    }

    private static func hash(_ token: UnsafeRawBufferPointer, _ keyspace: KeyspaceID) -> UInt32 {
        var hash = 0xcbf2_9ce4_8422_2325 ^ UInt64(keyspace.rawValue)
        for byte in token { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    private func enlarge() {
        slots = Array(repeating: -1, count: 2 * slots.count)
        for (position, token) in tokens.enumerated() {
            var slot = Int(token.hash) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(position)
        }
    }

    private func withBytes<Result>(
        of token: Token, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[token.start..<token.start + token.byteCount]))
        }
    }

    // MARK: Reading

    /// Calls `body` with each token in the order of keyspaces and bytes, and the changes of its
    /// postings in the order of the objects, each object once.
    func forEachToken(
        _ body: (_ keyspace: KeyspaceID, _ token: UnsafeRawBufferPointer, _ changes: [Change])
            throws ->
            Void
    ) rethrows {
        try bytes.withUnsafeBytes { bytes in
            func bytesOf(_ token: Token) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(
                    rebasing: bytes[token.start..<token.start + token.byteCount])
            }
            let order = tokens.indices.sorted {
                let (left, right) = (tokens[$0], tokens[$1])
                if left.keyspace != right.keyspace { return left.keyspace < right.keyspace }
                return bytesOf(left).order(to: bytesOf(right)) < 0
            }
            var found: [Change] = []
            for position in order {
                found.removeAll(keepingCapacity: true)
                var next = tokens[position].last
                while next >= 0 {
                    found.append(changes[next])
                    next = changes[next].previous
                }
                Self.normalise(&found)
                try body(tokens[position].keyspace, bytesOf(tokens[position]), found)
            }
        }
    }

    /// Puts changes, the newest first, in the order of their objects, and leaves out those that a
    /// newer one of the same object follows.
    private static func normalise(_ changes: inout [Change]) {
        var isDescending = true
        for (left, right) in zip(changes, changes.dropFirst()) where left.object <= right.object {
            isDescending = false
            break
        }
        if isDescending { return changes.reverse() }
        // By the change before, which is newer in newer changes: sorting is not stable.
        changes.sort {
            $0.object == $1.object ? $0.previous > $1.previous : $0.object < $1.object
        }
        var end = 0
        for change in changes where end == 0 || changes[end - 1].object != change.object {
            changes[end] = change
            end += 1
        }
        changes.removeSubrange(end...)
    }

    /// Calls `body` with the entries that the postings would be with one object each, as
    /// `PostingShape` finds them in those that they share.
    func forEachEntry(
        _ body: (_ keyspace: KeyspaceID, _ key: UnsafeRawBufferPointer, _ value: UInt64) -> Void
    ) {
        var key = IndexKey()
        forEachToken { keyspace, token, changes in
            for change in changes where change.count > 0 {
                withPositions(of: change) { positions in
                    key.set(token: token)
                    key.append(change.object)
                    if change.count <= UInt64(PostingFormat.positionCountMax) {
                        key.append(raw: positions)
                    }
                    key.withBytes { body(keyspace, $0, change.count) }
                    PostingFormat.forEachEntry(
                        ofPositions: positions, change.count, token: token, of: change.object
                    ) { key, count in key.withBytes { body(keyspace, $0, count) } }
                }
            }
        }
    }

    /// Calls `body` with the bytes of the positions of a change.
    func withPositions<Result>(
        of change: Change, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes {
            try body(
                UnsafeRawBufferPointer(rebasing: $0[change.positions]))
        }
    }
}
