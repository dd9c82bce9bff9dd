import TravertineStore

/// What a row holds of a collection.
///
/// Empty: no bytes. Inline: 0, the count (u32), the elements. Tree: 1, the height (u8), the number
/// of the root node (u32), the number of the next new node (u32), the count of elements (u64).
enum CollectionPiece: Equatable {
    case inline(count: Int)
    case tree(height: Int, root: UInt32, next: UInt32, count: Int)

    /// The most bytes of elements that stay in the row.
    static let inlineByteCountMax = 1024
    static let inlineHeaderByteCount = 5

    init(_ bytes: UnsafeRawBufferPointer) {
        self = .inline(count: 0)
        if bytes.count >= Self.inlineHeaderByteCount, bytes[0] == 0 {
            let count = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
            self = .inline(count: Int(UInt32(littleEndian: count)))
        } else if bytes.count == 18, bytes[0] == 1 {
            func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            self = .tree(
                height: Int(bytes[1]), root: number(2, UInt32.self), next: number(6, UInt32.self),
                count: Int(clamping: number(10, UInt64.self)))
        }
    }

    var count: Int {
        switch self {
        case .inline(let count), .tree(_, _, _, let count): count
        }
    }

    /// The bytes for the row.
    func encoded(elements: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .inline(let count):
            if count == 0 { return [] }
            writer.append(UInt8(0))
            writer.append(UInt32(clamping: count))
            writer.append(contentsOf: elements)
        case .tree(let height, let root, let next, let count):
            writer.append(UInt8(1))
            writer.append(UInt8(height))
            writer.append(root)
            writer.append(next)
            writer.append(UInt64(count))
        }
        return writer.bytes
    }
}
