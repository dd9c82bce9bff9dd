/// A column of texts: one run of bytes, and where each of them ends.
///
/// Unsafe: `bytes` has `spareByteCount` zeros after the last text, so that a search may read whole
/// vectors; both buffers are freed with the column and nobody keeps them longer.
final class TextColumn: LeafColumn, @unchecked Sendable {
    /// A leaf whose texts are longer than that together has no column of them.
    static var byteCountMax: Int { 0xffff }
    private static var spareByteCount: Int { 32 }

    private let bytes: UnsafeMutableRawPointer
    private let ends: UnsafeMutablePointer<UInt16>
    private let textByteCount: Int
    /// Whether there are texts; if not, they are too long together.
    let hasTexts: Bool

    override var byteCount: Int {
        textByteCount + Self.spareByteCount + 2 * count + (nulls == nil ? 0 : Self.countMax) + 208
    }

    init(_ builder: TextColumnBuilder) {
        hasTexts = !builder.isTooLong
        let (count, byteCount) = (builder.count, hasTexts ? builder.byteCount : 0)
        textByteCount = byteCount
        bytes = .allocate(byteCount: byteCount + Self.spareByteCount, alignment: 16)
        bytes.copyMemory(from: builder.bytes, byteCount: byteCount)
        (bytes + byteCount).initializeMemory(
            as: UInt8.self, repeating: 0, count: Self.spareByteCount)
        ends = .allocate(capacity: count + 1)
        ends.initialize(from: builder.ends, count: count)
        (ends + count).initialize(to: UInt16(byteCount))
        super.init(count: count, Nulls(builder.isNull))
    }

    deinit {
        bytes.deallocate()
        ends.deallocate()
    }

    /// The text of a row; empty for nil.
    @inline(__always)
    func text(_ position: Int) -> UnsafeRawBufferPointer {
        let start = position == 0 ? 0 : Int(ends[position &- 1])
        return UnsafeRawBufferPointer(start: bytes + start, count: Int(ends[position]) &- start)
    }

    // MARK: Masks

    /// Sets `mask` to 1 for each text that compares so with another one, else 0; what is after the
    /// rows is undefined.
    func compare(
        _ operation: Comparison.Operation, _ wanted: UnsafeRawBufferPointer,
        _ mask: UnsafeMutablePointer<UInt8>
    ) {
        @inline(__always) func fill(_ holds: (UnsafeRawBufferPointer) -> Bool) {
            for position in 0..<count { mask[position] = holds(text(position)) ? 1 : 0 }
        }
        switch operation {
        case .equal, .isIn: fill { $0.isSame(as: wanted) }
        case .notEqual: fill { !$0.isSame(as: wanted) }
        case .less: fill { $0.order(to: wanted) < 0 }
        case .lessOrEqual: fill { $0.order(to: wanted) <= 0 }
        case .greater: fill { $0.order(to: wanted) > 0 }
        case .greaterOrEqual: fill { $0.order(to: wanted) >= 0 }
        case .beginsWith: fill { $0.begins(with: wanted) }
        case .endsWith: fill { $0.ends(with: wanted) }
        case .like: fill { TextPattern.matches($0, pattern: wanted) }
        case .contains: findAll(wanted, mask)
        case .isBetween: fill { _ in false }
        }
        setNulls(operation == .notEqual, mask)
    }

    /// The same for a text that is one of several.
    func compare(_ wanted: TextSet, hasNull: Bool, _ mask: UnsafeMutablePointer<UInt8>) {
        for position in 0..<count { mask[position] = wanted.contains(text(position)) ? 1 : 0 }
        setNulls(hasNull, mask)
    }

    /// Searches the run once: places are looked at where the first and the last byte are, and one
    /// counts only inside one text. After one that lies across two, the search goes on one byte
    /// later; after one that counts, with the next text.
    private func findAll(_ wanted: UnsafeRawBufferPointer, _ mask: UnsafeMutablePointer<UInt8>) {
        // It is in every text.
        if wanted.isEmpty { return mask.update(repeating: 1, count: Self.countMax) }
        mask.update(repeating: 0, count: Self.countMax)
        let placeMax = textByteCount - wanted.count
        let first = SIMD16<UInt8>(repeating: wanted[0])
        let last = SIMD16<UInt8>(repeating: wanted[wanted.count - 1])
        let lastOffset = wanted.count - 1
        var position = 0
        var block = 0
        while block <= placeMax {
            let starts = bytes.loadUnaligned(fromByteOffset: block, as: SIMD16<UInt8>.self)
            let ends = bytes.loadUnaligned(
                fromByteOffset: block &+ lastOffset, as: SIMD16<UInt8>.self)
            let hits = unsafeBitCast((starts .== first) .& (ends .== last), to: SIMD2<UInt64>.self)
            if hits[0] | hits[1] == 0 {
                block &+= 16
            } else {
                block = note(hits, block, wanted, placeMax, &position, mask)
            }
        }
    }

    /// Looks at the places of a block that have both bytes; returns where the next block begins.
    @inline(__always)
    private func note(
        _ hits: SIMD2<UInt64>, _ block: Int, _ wanted: UnsafeRawBufferPointer, _ placeMax: Int,
        _ position: inout Int, _ mask: UnsafeMutablePointer<UInt8>
    ) -> Int {
        for half in 0..<2 {
            var bits = hits[half]
            while bits != 0 {
                let byte = bits.trailingZeroBitCount >> 3
                bits &= ~(0xff << UInt64(byte << 3))
                let place = block &+ half << 3 &+ byte
                if place > placeMax { return placeMax &+ 1 }
                while Int(ends[position]) <= place { position &+= 1 }
                let end = Int(ends[position])
                guard place &+ wanted.count <= end,
                    UnsafeRawBufferPointer(start: bytes + place, count: wanted.count)
                        .isSame(as: wanted)
                else { continue }
                mask[position] = 1
                return end
            }
        }
        return block &+ 16
    }
}
