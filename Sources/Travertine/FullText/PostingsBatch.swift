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
        /// Where its positions are in the batch's bytes; themselves, if they fit in.
        fileprivate let start: UInt32
        fileprivate let byteCount: UInt32
        private let storedToken: Int32

        /// How often the object has the token; 0 if it has it no more.
        var count: UInt64 { UInt64(storedCount) }
        fileprivate var token: Int { Int(storedToken) }
        fileprivate var holdsPositions: Bool { Int(byteCount) <= MemoryLayout<UInt32>.size }

        /// Of a batch, which is less than 4 GB with the largest text.
        fileprivate init(
            object: UInt64, count: UInt64, positions: UnsafeRawBufferPointer, token: Int,
            in bytes: inout [UInt8]
        ) {
            self.object = object
            storedCount = UInt32(count)
            byteCount = UInt32(positions.count)
            storedToken = Int32(token)
            if positions.count <= MemoryLayout<UInt32>.size {
                var held: UInt32 = 0
                withUnsafeMutableBytes(of: &held) { $0.copyMemory(from: positions) }
                start = held
            } else {
                start = UInt32(bytes.count)
                bytes.append(contentsOf: positions)
            }
        }
    }

    private struct Token {
        let keyspace: KeyspaceID
        /// Its first bytes, most often all.
        let words: (UInt64, UInt64)
        /// Where its bytes are in those of the batch.
        let start: UInt32
        let byteCount: UInt32
        var changeCount = 0

        static let wordsByteCount = 16
    }

    /// The bytes that a batch collects before they are stored.
    @TaskLocal static var byteCountMax = 16 << 20

    /// `byteCountMax` when the batch was made.
    private let byteCountMax = PostingsBatch.byteCountMax
    @exclusivity(unchecked) private var tokens: [Token] = []
    @exclusivity(unchecked) private var changes: [Change] = []
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    /// By the hash of a token: its position in `tokens` plus 1 in the lower half, the hash in the
    /// upper half; 0 for none.
    @exclusivity(unchecked) private var slots: [UInt64] = Array(repeating: 0, count: 128)

    var isEmpty: Bool { changes.isEmpty }

    /// Whether it takes so much memory that its changes should be stored.
    var isFull: Bool {
        bytes.count + changes.count * MemoryLayout<Change>.stride
            + tokens.count * (MemoryLayout<Token>.stride + 16) >= byteCountMax
    }

    /// Takes all changes out.
    func removeAll() {
        tokens.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        // Many slots would be cleared again for each of the few changes that follow.
        slots = Array(repeating: 0, count: min(slots.count, 1 << 12))
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
        tokens[token].changeCount += 1
        changes.append(
            Change(
                object: objectKey(in: key, at: end + 1), count: count,
                positions: UnsafeRawBufferPointer(rebasing: key[(end + 9)...]), token: token,
                in: &bytes))
    }

    private func position(of token: UnsafeRawBufferPointer, in keyspace: KeyspaceID) -> Int {
        if 2 * tokens.count >= slots.count { enlarge() }
        let words = (token.word(at: 0), token.word(at: 8))
        let hash = Self.hash(token, words, keyspace)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let known = Int(slots[slot] & 0xFFFF_FFFF) - 1
            if slots[slot] >> 32 == hash, tokens[known].words == words,
                tokens[known].keyspace == keyspace,
                Int(tokens[known].byteCount) == token.count,
                token.count <= Token.wordsByteCount
                    || withBytes(of: tokens[known], { $0.isSame(as: token) })
            {
                return known
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        tokens.append(
            Token(
                keyspace: keyspace, words: words, start: UInt32(bytes.count),
                byteCount: UInt32(token.count)))
        bytes.append(contentsOf: token)
        slots[slot] = hash << 32 | UInt64(tokens.count)
        return tokens.count - 1
    }

    /// A number of 32 bits.
    @inline(__always)
    private static func hash(
        _ token: UnsafeRawBufferPointer, _ words: (UInt64, UInt64), _ keyspace: KeyspaceID
    ) -> UInt64 {
        var hash = (words.0 ^ UInt64(keyspace.rawValue) << 32) &* 0x9e37_79b9_7f4a_7c15
        hash = (hash ^ hash >> 29 ^ words.1) &* 0xbf58_476d_1ce4_e5b9
        if token.count > Token.wordsByteCount {
            for byte in token[Token.wordsByteCount...] {
                hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
            }
        }
        return (hash ^ hash >> 31) >> 32 ^ (hash & 0xFFFF_FFFF)
    }

    private func enlarge() {
        let old = slots
        slots = Array(repeating: 0, count: 2 * slots.count)
        for entry in old where entry != 0 {
            var slot = Int(entry >> 32) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = entry
        }
    }

    private func withBytes<Result>(
        of token: Token, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes {
            let start = Int(token.start)
            return body(
                UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(token.byteCount)]))
        }
    }

    // MARK: Reading

    /// Calls `body` with each token in the order of keyspaces and bytes, and the changes of its
    /// postings in the order of the objects, each object once.
    func forEachToken(
        _ body: (
            _ keyspace: KeyspaceID, _ token: UnsafeRawBufferPointer,
            _ changes: ArraySlice<Change>
        ) throws -> Void
    ) rethrows {
        try bytes.withUnsafeBytes { bytes in
            func bytesOf(_ position: Int) -> UnsafeRawBufferPointer {
                let start = Int(tokens[position].start)
                return UnsafeRawBufferPointer(
                    rebasing: bytes[start..<start + Int(tokens[position].byteCount)])
            }
            var order = tokens.indices.map {
                (words: tokens[$0].words, keyspace: tokens[$0].keyspace, position: $0)
            }
            order.sort { left, right in
                if left.keyspace != right.keyspace { return left.keyspace < right.keyspace }
                if left.words != right.words { return left.words < right.words }
                return bytesOf(left.position).order(to: bytesOf(right.position)) < 0
            }
            let sorted = changes(inOrder: order.map(\.position))
            var first = 0
            for (_, keyspace, position) in order {
                let end = first + tokens[position].changeCount
                try body(keyspace, bytesOf(position), Self.normalised(sorted[first..<end]))
                first = end
            }
        }
    }

    /// The changes token by token; of each token as they came.
    private func changes(inOrder order: [Int]) -> [Change] {
        var ends = Array(repeating: 0, count: tokens.count)
        var first = 0
        for position in order {
            ends[position] = first
            first += tokens[position].changeCount
        }
        return Array(unsafeUninitializedCapacity: changes.count) { sorted, count in
            for change in changes {
                sorted.initializeElement(at: ends[change.token], to: change)
                ends[change.token] += 1
            }
            count = changes.count
        }
    }

    /// The changes in the order of their objects, the last one of each object.
    private static func normalised(_ changes: ArraySlice<Change>) -> ArraySlice<Change> {
        let isAscending = zip(changes, changes.dropFirst()).allSatisfy { $0.object < $1.object }
        if isAscending { return changes }
        let order = changes.indices.sorted {
            let (left, right) = (changes[$0].object, changes[$1].object)
            return left == right ? $0 < $1 : left < right
        }
        var found: [Change] = []
        for position in order {
            if found.last?.object == changes[position].object { found.removeLast() }
            found.append(changes[position])
        }
        return found[...]
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
    @inline(__always)
    func withPositions<Result>(
        of change: Change, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        if change.holdsPositions {
            return try withUnsafeBytes(of: change.start) {
                try body(UnsafeRawBufferPointer(rebasing: $0[..<Int(change.byteCount)]))
            }
        }
        return try bytes.withUnsafeBytes {
            let start = Int(change.start)
            return try body(
                UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(change.byteCount)]))
        }
    }
}
