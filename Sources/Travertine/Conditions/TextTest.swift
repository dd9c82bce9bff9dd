/// Looks for a text in strings, data, or strings and data among values of any type. Without options
/// it compares bytes; with them it compares folded characters.
final class TextTest: RowTest {
    private let reader: PropertyReader
    private let operation: Comparison.Operation
    private let options: StringOptions
    private let wanted: [UInt8]
    /// Whether the text that is looked for is a string and not data.
    private let isString: Bool

    init(
        _ reader: PropertyReader, _ operation: Comparison.Operation, _ text: String,
        _ options: StringOptions
    ) {
        self.reader = reader
        self.operation = operation
        self.options = options
        isString = true
        wanted = options.isEmpty ? Array(text.utf8) : TextFolding.folded(text, options)
    }

    init(_ reader: PropertyReader, _ operation: Comparison.Operation, data: [UInt8]) {
        self.reader = reader
        self.operation = operation
        options = []
        isString = false
        wanted = data
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .bytes(let stored) = value, let bytes = text(stored) else {
                return operation == .notEqual
            }
            return wanted.withUnsafeBytes { wanted in
                TextFolding.withFolded(bytes, options) { operation.holds(text: $0, wanted) }
            }
        }
    }

    /// The bytes of a text of the kind that is looked for.
    @inline(__always)
    private func text(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if reader.type.type != .any { return stored }
        guard stored.first == MixedCode.tag(isString ? .string : .data) else { return nil }
        return UnsafeRawBufferPointer(rebasing: stored[1...])
    }
}

/// Looks a text up among folded ones.
final class TextMembershipTest: RowTest {
    let reader: PropertyReader
    let options: StringOptions
    let wanted: Set<[UInt8]>
    let hasNull: Bool

    init(
        _ reader: PropertyReader, _ texts: [String], hasNull: Bool, _ options: StringOptions
    ) {
        self.reader = reader
        self.options = options
        self.hasNull = hasNull
        wanted = Set(texts.map { TextFolding.folded($0, options) })
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .bytes(let bytes) = value else { return hasNull }
            return TextFolding.withFolded(bytes, options) { wanted.contains(Array($0)) }
        }
    }
}
