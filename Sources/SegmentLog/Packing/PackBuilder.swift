/// Builds the values of packs, one after the other, in memory that it uses again.
///
/// `begin`, `add` for each entry in the order of the keys, then `finish`. One thread at a time.
package final class PackBuilder {
    private var values: [UInt8] = []
    private var ends: [UInt16] = []
    private var directory: [UInt8] = []
    private var lastKey: [UInt8] = []
    private var lastLSN: UInt64 = 0
    private var lastLocation: UInt64 = 0
    private let compressor = BlockCompressor()
    /// Whether the values of the pack stay as they are.
    private var isPlain = false

    /// A pack ends with the value that reaches this: larger packs compress better and cost each
    /// read more (Documentation/Format.md, 4.16, has the figures).
    package static let valuesByteCountTarget = 4 << 10
    /// The same of packs whose values stay as they are: a verified read sums up the whole pack.
    package static let plainByteCountTarget = 2 << 10
    /// A larger value gains little from sharing a record.
    private static let plainValueByteCountMax = 1 << 10

    package init() {}

    /// The number of entries so far.
    package var count: Int { ends.count }

    /// Whether another entry belongs to the next pack.
    package var isFull: Bool {
        let target = isPlain ? Self.plainByteCountTarget : Self.valuesByteCountTarget
        return values.count >= target || count == Pack.countMax
    }

    /// Whether a value can be packed with others.
    package static func takes(valueByteCount: Int, isPlain: Bool = false) -> Bool {
        valueByteCount <= (isPlain ? plainValueByteCountMax : valuesByteCountTarget)
    }

    /// Begins a pack, whose values are compressed or stay as they are.
    package func begin(isPlain: Bool = false) {
        self.isPlain = isPlain
        values.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        directory.removeAll(keepingCapacity: true)
        lastKey.removeAll(keepingCapacity: true)
        (lastLSN, lastLocation) = (0, 0)
    }

    /// Adds an entry; not to a full pack.
    package func add(_ record: RecordPointer, originalLSN: LSN, sourceLocation: Location) {
        precondition(
            !isFull && Self.takes(valueByteCount: record.value.count, isPlain: isPlain),
            "a pack is full")
        let key = record.key
        values.append(contentsOf: record.value)
        ends.append(UInt16(values.count))
        var shared = 0
        while shared < min(key.count, lastKey.count), key[shared] == lastKey[shared] { shared += 1 }
        append(UInt64(shared))
        append(UInt64(key.count - shared))
        directory.append(contentsOf: key[shared...])
        append(Zigzag.encoded(originalLSN.rawValue &- lastLSN))
        append(Zigzag.encoded(sourceLocation.rawValue &- lastLocation))
        (lastLSN, lastLocation) = (originalLSN.rawValue, sourceLocation.rawValue)
        lastKey.removeAll(keepingCapacity: true)
        lastKey.append(contentsOf: key)
    }

    /// The value of the pack's record; nil when compressing the values saves nothing, so that they
    /// are better left as they are.
    package func finish() -> [UInt8]? {
        guard count > 0, let block = block() else { return nil }
        var content: [UInt8] = []
        func append<Integer: FixedWidthInteger>(_ value: Integer) {
            withUnsafeBytes(of: value.littleEndian) { content.append(contentsOf: $0) }
        }
        append(UInt16(count))
        append(isPlain ? Pack.plainForm : 0)
        append(UInt32(directory.count))
        append(UInt32(block.count))
        for end in ends { append(end) }
        content += directory
        content += block
        // Each entry's location is a separate place inside the record.
        let missing =
            RecordLayout.alignment * count - RecordLayout.headerByteCount - content.count
        if missing > 0 { content.append(contentsOf: repeatElement(0, count: missing)) }
        return content
    }

    /// The block of the values; nil if a pack of them saves nothing.
    private func block() -> [UInt8]? {
        if isPlain { return count > 1 ? values : nil }
        return values.withUnsafeBytes { compressor.compress($0).map { Array($0) } }
    }

    private func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            directory.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        directory.append(UInt8(rest))
    }
}
