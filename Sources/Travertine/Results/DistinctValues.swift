/// Numbers the different values of one type in the order in which they come.
///
/// Strings and data are not copied: their rows must stay where they are for as long as values come.
struct DistinctValues {
    private let type: PropertyType
    private var words: [UInt64: Int] = [:]
    private var bytes: [BytesInPlace: Int] = [:]
    private var keys: [[UInt8]: Int] = [:]
    private var nullNumber: Int?
    /// How many there are.
    private(set) var count = 0

    private struct BytesInPlace: Hashable {
        let bytes: UnsafeRawBufferPointer

        static func == (left: Self, right: Self) -> Bool { left.bytes.isSame(as: right.bytes) }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }

    init(_ type: PropertyType) { self.type = type }

    /// The number of a value, and whether it came for the first time.
    @inline(__always)
    mutating func number(of raw: _RawValue) -> (number: Int, isNew: Bool) {
        switch raw {
        case .null where type != .any: Self.number(&nullNumber, &count)
        case .word(let word): Self.number(&words[IndexKey.ordered(word, type: type)], &count)
        case .bytes(let value) where type != .any && type != .decimal128:
            Self.number(&bytes[BytesInPlace(bytes: value)], &count)
        default: Self.number(&keys[IndexKey.identity(of: raw, type)], &count)
        }
    }

    @inline(__always)
    private static func number(
        _ entry: inout Int?, _ count: inout Int
    ) -> (number: Int, isNew: Bool) {
        if let entry { return (entry, false) }
        let number = count
        entry = number
        count += 1
        return (number, true)
    }
}
