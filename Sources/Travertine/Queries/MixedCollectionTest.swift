/// Compares values of any type with a list or dictionary, by their contents.
final class MixedCollectionTest: ComparisonTest {
    private let constant: AnyRealmValue

    /// - Parameter reader: one that has the storage of what it finds.
    init(
        _ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ constant: AnyRealmValue
    ) {
        self.constant = constant
        super.init(reader, comparison)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            var isEqual = false
            if case .bytes(let bytes) = value, let storage = reader.storage,
                case .collection? = MixedCode.reference(in: bytes)
            {
                isEqual = MixedCode.decode(bytes, at: storage) == constant
            }
            return isEqual ? comparison.holdsForNil : comparison == .notEqual
        }
    }
}
