/// Collects the texts of a leaf; used again for each.
///
/// Unsafe: the buffers have room for what a column may have, and are freed with the builder.
final class TextColumnBuilder {
    /// The texts, one after the other.
    let bytes: UnsafeMutableRawPointer
    private(set) var byteCount = 0
    /// Where each of them ends.
    let ends: UnsafeMutablePointer<UInt16>
    /// 1 for each null, else 0.
    private let nulls: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    /// Whether the texts are too long together for a column.
    private(set) var isTooLong = false
    private let folding: StringOptions

    init(folding: StringOptions) {
        self.folding = folding
        bytes = .allocate(byteCount: TextColumn.byteCountMax, alignment: 16)
        ends = .allocate(capacity: LeafColumn.countMax)
        ends.initialize(repeating: 0, count: LeafColumn.countMax)
        nulls = .allocate(capacity: LeafColumn.countMax)
        nulls.initialize(repeating: 0, count: LeafColumn.countMax)
    }

    deinit {
        bytes.deallocate()
        ends.deallocate()
        nulls.deallocate()
    }

    var isNull: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nulls, count: count) }

    func removeAll() {
        byteCount = 0
        count = 0
        isTooLong = false
    }

    @inline(__always)
    func append(_ value: _RawValue) {
        precondition(count < LeafColumn.countMax, "a leaf has more rows than a column has places")
        if case .bytes(let text) = value {
            nulls[count] = 0
            if !isTooLong { folding.isEmpty ? copy(text) : fold(text) }
        } else {
            nulls[count] = 1
        }
        ends[count] = UInt16(truncatingIfNeeded: byteCount)
        count &+= 1
    }

    @inline(__always)
    private func copy(_ text: UnsafeRawBufferPointer) {
        guard text.count <= TextColumn.byteCountMax &- byteCount else {
            isTooLong = true
            return
        }
        guard let start = text.baseAddress else { return }
        (bytes + byteCount).copyMemory(from: start, byteCount: text.count)
        byteCount &+= text.count
    }

    /// Folds ASCII on its way, as `TextFolding` does.
    private func fold(_ text: UnsafeRawBufferPointer) {
        guard text.count <= TextColumn.byteCountMax &- byteCount,
            folding.contains(.caseInsensitive)
        else { return TextFolding.withFolded(text, folding) { copy($0) } }
        let target = (bytes + byteCount).assumingMemoryBound(to: UInt8.self)
        var all: UInt8 = 0
        for position in 0..<text.count {
            let byte = text[position]
            all |= byte
            target[position] = byte &- 0x41 < 26 ? byte | 0x20 : byte
        }
        if all < 0x80 {
            byteCount &+= text.count
        } else {
            TextFolding.withFolded(text, folding) { copy($0) }
        }
    }
}
