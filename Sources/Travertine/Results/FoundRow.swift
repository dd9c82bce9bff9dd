import CPlatform

/// A row that a query found; the bytes are valid while the realm's generation is the same.
struct FoundRow {
    let key: UInt64
    private let base: UnsafeRawPointer?
    private let byteCount: UInt32
    /// Which of the tables of the results it is of: 0, or the position of a derived class plus 1;
    /// `elementPart` for an element of a collection that is no object.
    let part: UInt32
    private static let elementPart = UInt32.max

    init(key: UInt64, bytes: UnsafeRawBufferPointer, part: Int = 0) {
        self.key = key
        base = bytes.baseAddress
        byteCount = UInt32(clamping: bytes.count)
        self.part = UInt32(clamping: part)
    }

    /// The element at a position of a collection, which is no object.
    init(elementAt position: Int) {
        key = UInt64(position)
        base = nil
        byteCount = 0
        part = Self.elementPart
    }

    /// Asks the processor for the beginning of the row.
    @inline(__always)
    func prefetch() {
        guard let base else { return }
        travertine_prefetch_now(base)
        travertine_prefetch_now(base + 64)
    }

    /// Whether the key is a position in a collection.
    var isElement: Bool { part == Self.elementPart }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: Int(byteCount))
    }
}
