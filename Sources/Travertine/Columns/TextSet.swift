/// Texts among which others are looked up.
struct TextSet: Hashable, Sendable {
    /// In the order of their bytes, each once.
    let texts: [[UInt8]]
    /// A bit for each number of bytes, the last one for all greater ones.
    private let lengths: UInt64

    init(_ texts: some Sequence<[UInt8]>) {
        self.texts = Set(texts).sorted { $0.lexicographicallyPrecedes($1) }
        lengths = self.texts.reduce(0) { $0 | 1 << UInt64(min(63, $1.count)) }
    }

    var byteCount: Int { texts.reduce(96) { $0 + 40 + $1.count } }

    func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        if lengths >> UInt64(min(63, text.count)) & 1 == 0 { return false }
        var (low, high) = (0, texts.count)
        while low < high {
            let middle = (low &+ high) / 2
            let order = texts[middle].withUnsafeBytes { text.order(to: $0) }
            if order == 0 { return true }
            if order < 0 { high = middle } else { low = middle &+ 1 }
        }
        return false
    }
}
