/// Looks a value up among constants.
final class MembershipTest: RowTest {
    private let reader: PropertyReader
    private var words: Set<Int64> = []
    private var pieces: Set<[UInt8]> = []
    private var numbers: Set<Double> = []
    private var hasNull = false

    init(_ reader: PropertyReader, _ constants: [QueryConstant]) {
        self.reader = reader
        for constant in constants {
            switch constant {
            case .null: hasNull = true
            case .word(let word):
                if reader.isReal { numbers.insert(reader.number(word)) } else { words.insert(word) }
            case .bytes(let bytes): pieces.insert(Self.normal(bytes, reader))
            case .link(let type, let key) where reader.isVarying:
                pieces.insert(MixedCode.encode(objectOfType: type, key: key))
            case .link(_, let key): words.insert(Int64(bitPattern: key))
            case .unmanaged, .collection: break
            }
        }
    }

    /// Bytes that are the same for equal values.
    private static func normal(_ bytes: [UInt8], _ reader: PropertyReader) -> [UInt8] {
        if reader.type.type == .any {
            return bytes.withUnsafeBytes { MixedCode.normal($0) } ?? bytes
        }
        guard reader.type.type == .decimal128, bytes.count == 16 else { return bytes }
        let key = bytes.withUnsafeBytes { Decimal128(stored: $0).orderingKey }
        return withUnsafeBytes(of: key, Array.init)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            switch value {
            case .null: hasNull
            case .word(let word):
                reader.isReal ? numbers.contains(reader.number(word)) : words.contains(word)
            case .bytes(let bytes): pieces.contains(Self.normal(Array(bytes), reader))
            }
        }
    }
}
