final class ConstantTest: RowTest {
    private let value: Bool
    init(_ value: Bool) { self.value = value }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { value }
}

final class NotTest: RowTest {
    private let operand: RowTest
    init(_ operand: RowTest) { self.operand = operand }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try !operand.matches(row, binding, key) }
}

final class AndTest: RowTest {
    private let left: RowTest
    private let right: RowTest
    init(_ left: RowTest, _ right: RowTest) {
        self.left = left
        self.right = right
    }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try left.matches(row, binding, key) && right.matches(row, binding, key) }
}

final class OrTest: RowTest {
    private let left: RowTest
    private let right: RowTest
    init(_ left: RowTest, _ right: RowTest) {
        self.left = left
        self.right = right
    }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try left.matches(row, binding, key) || right.matches(row, binding, key) }
}
