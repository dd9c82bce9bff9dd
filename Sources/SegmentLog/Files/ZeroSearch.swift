/// The search for bytes that are not zero, by words: most of what is looked at is a long unused
/// end.
extension UnsafeRawBufferPointer {
    /// The index of the first byte that is not zero; nil when all are.
    var firstNonZeroIndex: Int? {
        var index = 0
        while index &+ 8 <= count, loadUnaligned(fromByteOffset: index, as: UInt64.self) == 0 {
            index &+= 8
        }
        while index < count {
            if self[index] != 0 { return index }
            index &+= 1
        }
        return nil
    }

    /// The index of the last byte that is not zero; nil when all are.
    var lastNonZeroIndex: Int? {
        var end = count
        while end >= 8, loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self) == 0 { end &-= 8 }
        while end > 0, self[end &- 1] == 0 { end &-= 1 }
        return end > 0 ? end &- 1 : nil
    }
}
