/// A test that every row passes, or none.
final class ConstantTest: RowTest {
    private let value: Bool
    init(_ value: Bool) { self.value = value }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { value }
}

/// The negation of a test.
final class NotTest: RowTest {
    private let operand: RowTest
    init(_ operand: RowTest) { self.operand = operand }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try !operand.matches(row, binding, key) }
}

/// A test of two others.
class PairTest: RowTest {
    final let left: RowTest
    final let right: RowTest
    init(_ left: RowTest, _ right: RowTest) {
        self.left = left
        self.right = right
    }
}

final class AndTest: PairTest {
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try left.matches(row, binding, key) && right.matches(row, binding, key) }
}

final class OrTest: PairTest {
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try left.matches(row, binding, key) || right.matches(row, binding, key) }
}
