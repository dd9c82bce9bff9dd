/// The segments that compaction has taken out of the log, as stretches of its chain.
///
/// A record of kind 9 holds the whole table, so that only the newest one counts. Neighbours are one
/// stretch: a table is never longer than the segments that are left, plus one. Every stretch says
/// where the log goes on, so that a log without it can be read to its end, and so that a segment
/// that is missing without being in the table is seen to be missing.
///
/// A transaction may begin before a stretch and go on in it. A replay of its first part
/// must know what became of it, so a stretch says that too (`Continuation`).
///
/// Layout of the record's value: stretches of 48 bytes, ascending, little-endian:
///
///      0 number               u32   of the stretch's last segment
///      4 predecessor number   u32   of its first segment's predecessor, zero: none
///      8 first LSN            u64   of its first segment
///     16 last LSN             u64   of its last segment; first LSN minus 1 when it held no batch
///     24 predecessor end      u64   where that predecessor ends
///     32 outcome              u32   of the transaction that is open before it: 0 ended without a
///     last
///                                   batch (or there is none), 1 committed, 2 still open after it
///     36 void offset          u32   with the next: from this place on, up to the stretch, the
///     records 40 void LSN             u64   of that transaction were rolled back; zero: none
package struct RetirementTable: Equatable, Sendable {
    /// Neighbouring segments that are all retired.
    package struct Stretch: Equatable, Sendable {
        package var number: SegmentNumber
        package var predecessor: SegmentNumber
        package var firstLSN: LSN
        package var lastLSN: LSN
        package var predecessorEnd: UInt64
        package var continuation = Continuation()

        /// True for the numbers of the stretch's segments, and for those of files between them that
        /// never belonged to the log.
        package func contains(_ other: SegmentNumber) -> Bool {
            predecessor < other && other <= number
        }

        /// True when every segment of `other` is in this stretch too.
        func covers(_ other: Stretch) -> Bool {
            predecessor <= other.predecessor && number >= other.number
                && firstLSN <= other.firstLSN && lastLSN >= other.lastLSN
        }
    }

    /// What retired segments say of the transaction that was open before them.
    package struct Continuation: Hashable, Sendable {
        /// What became of it there.
        package enum Outcome: UInt32, Sendable {
            case ended = 0
            case committed = 1
            case open = 2
        }

        package var outcome = Outcome.ended
        /// From here on, up to the retired segments, its records were rolled back.
        package var voidFrom: TransactionPlace?

        package init() {}

        /// Goes on with what the segments after these say.
        func followed(by next: Continuation) -> Continuation {
            guard outcome == .open else { return self }
            var all = next
            all.voidFrom = [voidFrom, next.voidFrom].compactMap { $0 }.min()
            return all
        }
    }

    /// The stretches, ascending and apart.
    package private(set) var stretches: [Stretch] = []

    /// Where the fields of a stretch are.
    private enum Offset {
        static var number: Int { 0 }
        static var predecessor: Int { number + 4 }
        static var firstLSN: Int { predecessor + 4 }
        static var lastLSN: Int { firstLSN + 8 }
        static var predecessorEnd: Int { lastLSN + 8 }
        static var outcome: Int { predecessorEnd + 8 }
        static var voidOffset: Int { outcome + 4 }
        static var voidLSN: Int { voidOffset + 4 }
        static var end: Int { voidLSN + 8 }
    }

    static var stretchByteCount: Int { Offset.end }

    package init() {}

    /// True when the table says that a segment is retired.
    package func contains(_ number: SegmentNumber) -> Bool {
        // Stretches ascend: the first that ends at the number or after it is the only candidate.
        let index = stretches.indices.partitioningIndex { stretches[$0].number >= number }
        return index < stretches.count && stretches[index].contains(number)
    }

    /// The stretch that follows a segment in the chain; for `none` the one that the log began with.
    package func stretch(after number: SegmentNumber) -> Stretch? {
        stretches.first { $0.predecessor == number }
    }

    /// The stretch that had a batch with this LSN, or nil if that is not retired.
    package func stretch(holding lsn: LSN) -> Stretch? {
        // Stretches ascend: the first that ends at the LSN or after it is the only candidate.
        let index = stretches.indices.partitioningIndex { stretches[$0].lastLSN >= lsn }
        guard index < stretches.count, stretches[index].firstLSN <= lsn else { return nil }
        return stretches[index]
    }

    /// Adds a segment; one that is in the table already changes nothing.
    package mutating func add(_ segment: SegmentSummary, _ continuation: Continuation) {
        if contains(segment.number) { return }
        var added = Stretch(
            number: segment.number, predecessor: segment.predecessor.number,
            firstLSN: segment.firstLSN, lastLSN: segment.lastLSN,
            predecessorEnd: segment.predecessor.endOffset, continuation: continuation)
        if let place = stretches.firstIndex(where: { $0.number == added.predecessor }) {
            let before = stretches.remove(at: place)
            added.predecessor = before.predecessor
            added.firstLSN = before.firstLSN
            added.predecessorEnd = before.predecessorEnd
            added.continuation = before.continuation.followed(by: added.continuation)
        }
        if let place = stretches.firstIndex(where: { $0.predecessor == added.number }) {
            let after = stretches.remove(at: place)
            added.number = after.number
            added.lastLSN = after.lastLSN
            added.continuation = added.continuation.followed(by: after.continuation)
        }
        let place = stretches.firstIndex { $0.number > added.number } ?? stretches.count
        stretches.insert(added, at: place)
        assert(
            zip(stretches, stretches.dropFirst()).allSatisfy { $0.number < $1.predecessor },
            "rule 9: two stretches are neighbours, or out of order")
    }

    /// True when this table retires everything that `stretch` does.
    func covers(_ stretch: Stretch) -> Bool { stretches.contains { $0.covers(stretch) } }
}

extension RetirementTable {
    /// The bytes of the table.
    package var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: stretches.count * Self.stretchByteCount)
        bytes.withUnsafeMutableBytes { bytes in
            for (index, stretch) in stretches.enumerated() {
                let start = index * Self.stretchByteCount
                func store<Field: FixedWidthInteger & BitwiseCopyable>(
                    _ value: Field, at offset: Int
                ) {
                    bytes.storeBytes(
                        of: value.littleEndian, toByteOffset: start + offset, as: Field.self)
                }
                store(stretch.number.rawValue, at: Offset.number)
                store(stretch.predecessor.rawValue, at: Offset.predecessor)
                store(stretch.firstLSN.rawValue, at: Offset.firstLSN)
                store(stretch.lastLSN.rawValue, at: Offset.lastLSN)
                store(stretch.predecessorEnd, at: Offset.predecessorEnd)
                store(stretch.continuation.outcome.rawValue, at: Offset.outcome)
                store(stretch.continuation.voidFrom?.offset ?? 0, at: Offset.voidOffset)
                store(stretch.continuation.voidFrom?.lsn.rawValue ?? 0, at: Offset.voidLSN)
            }
        }
        return bytes
    }

    /// Reads a table; nil when the bytes are none.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count % Self.stretchByteCount == 0 else { return nil }
        for start in stride(from: 0, to: bytes.count, by: Self.stretchByteCount) {
            func half(_ offset: Int) -> UInt32 {
                UInt32(
                    littleEndian: bytes.loadUnaligned(
                        fromByteOffset: start + offset, as: UInt32.self))
            }
            func word(_ offset: Int) -> UInt64 {
                UInt64(
                    littleEndian: bytes.loadUnaligned(
                        fromByteOffset: start + offset, as: UInt64.self))
            }
            var stretch = Stretch(
                number: SegmentNumber(rawValue: half(Offset.number)),
                predecessor: SegmentNumber(rawValue: half(Offset.predecessor)),
                firstLSN: LSN(rawValue: word(Offset.firstLSN)),
                lastLSN: LSN(rawValue: word(Offset.lastLSN)),
                predecessorEnd: word(Offset.predecessorEnd))
            let outcome = Continuation.Outcome(rawValue: half(Offset.outcome))
            guard let outcome else { return nil }
            stretch.continuation.outcome = outcome
            if word(Offset.voidLSN) != 0 {
                stretch.continuation.voidFrom = TransactionPlace(
                    lsn: LSN(rawValue: word(Offset.voidLSN)), offset: half(Offset.voidOffset))
            }
            guard stretch.predecessor < stretch.number, stretch.number <= .maximum,
                stretch.firstLSN <= stretch.lastLSN.next,
                stretch.lastLSN.rawValue < 1 << 62,
                stretches.last.map({
                    $0.number < stretch.predecessor && $0.lastLSN < stretch.firstLSN
                }) ?? true
            else { return nil }
            stretches.append(stretch)
        }
    }
}
