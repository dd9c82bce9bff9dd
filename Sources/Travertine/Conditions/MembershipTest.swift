/// Looks a value up among constants.
final class MembershipTest: RowTest {
    private let reader: PropertyReader
    private var words: Set<Int64> = []
    private var numbers: Set<Double> = []
    private var pieces = ByteStringSet()
    private var hasNull = false

    init(_ reader: PropertyReader, _ constants: [RawConstant]) {
        self.reader = reader
        var pieces = ByteStringSet()
        for constant in constants {
            switch constant {
            case .null: hasNull = true
            case .word(let word):
                if reader.isReal { numbers.insert(reader.number(word)) } else { words.insert(word) }
            case .bytes(let bytes):
                let forms =
                    reader.type.type == .any && !reader.isVarying
                    ? MixedCode.equalForms(bytes, reader.session) : [bytes]
                for form in forms {
                    form.withUnsafeBytes { bytes in
                        Self.withNormal(bytes, reader.type.type) { pieces.insert($0) }
                    }
                }
            }
        }
        self.pieces = pieces
    }

    /// Calls `body` with bytes that are the same for equal values.
    @inline(__always)
    private static func withNormal<Result>(
        _ bytes: UnsafeRawBufferPointer, _ type: PropertyType,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        switch type {
        case .any: return MixedCode.withNormal(bytes, body)
        case .decimal128 where bytes.count == 16:
            return withUnsafeBytes(of: Decimal128(stored: bytes).orderingKey, body)
        default: return body(bytes)
        }
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            switch value {
            case .null: hasNull
            case .word(let word):
                reader.isReal ? numbers.contains(reader.number(word)) : words.contains(word)
            case .bytes(let bytes):
                Self.withNormal(bytes, reader.type.type) { pieces.contains($0) }
            }
        }
    }
}

/// Strings of bytes, among which others are looked up without being copied.
private struct ByteStringSet {
    private var strings: [Int: [[UInt8]]] = [:]

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }

    mutating func insert(_ bytes: UnsafeRawBufferPointer) {
        if contains(bytes) { return }
        strings[Self.hash(bytes), default: []].append(Array(bytes))
    }

    func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if strings.isEmpty { return false }
        return strings[Self.hash(bytes)]?.contains { string in
            string.withUnsafeBytes { $0.isSame(as: bytes) }
        } ?? false
    }
}
