/// Collects the texts of a leaf; used again for each.
final class TextColumnBuilder {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [UInt16] = []
    private(set) var isNull: [UInt8] = []
    /// Whether the texts are too long together for a column.
    private(set) var isTooLong = false
    private let folding: StringOptions

    init(folding: StringOptions) { self.folding = folding }

    func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        isNull.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    func append(_ value: _RawValue) {
        if case .bytes(let text) = value {
            isNull.append(0)
            if isTooLong { return }
            if text.count > TextColumn.byteCountMax { return end(isTooLong: true) }
            TextFolding.withFolded(text, folding) { bytes.append(contentsOf: $0) }
        } else {
            isNull.append(1)
        }
        end(isTooLong: bytes.count > TextColumn.byteCountMax)
    }

    private func end(isTooLong: Bool) {
        if isTooLong {
            self.isTooLong = true
            bytes.removeAll()
        }
        ends.append(UInt16(truncatingIfNeeded: bytes.count))
    }
}
