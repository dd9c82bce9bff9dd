import TravertineStore

/// The number of elements of a collection that fulfil a condition (Q13).
final class SubqueryOperand: OperandReader {
    /// Makes the test of the objects of a table, or of the elements that are none.
    typealias MakeTest = (TableState) -> RowTest?

    private let reader: PropertyReader
    private let element: ScannedElement?
    private let makeTest: MakeTest
    private let target: TableState
    private var tests: [UInt32: RowTest?] = [:]

    /// - Parameter element: where the elements are no objects: what the test looks at.
    init(
        _ reader: PropertyReader, _ target: TableState, _ element: ScannedElement?,
        _ makeTest: @escaping MakeTest
    ) {
        self.reader = reader
        self.target = target
        self.element = element
        self.makeTest = makeTest
    }

    override func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool {
        var count: Int64 = 0
        _ = try reader.any(row, binding, key) {
            if try isMatch($0) { count += 1 }
            return false
        }
        return try body(.int(count))
    }

    private func isMatch(_ value: _RawValue) throws -> Bool {
        if let element {
            guard let test = test(target) else { return false }
            element.raw = value
            element.storage = reader.storage
            defer { element.raw = .null }
            return try test.matches(
                UnsafeRawBufferPointer(start: nil, count: 0), try target.currentBinding(), 0)
        }
        guard let (table, key) = target.session.link(value, to: target),
            let row = try table.session.access.value(forKey: key, in: table.stored.rows),
            let test = test(table)
        else { return false }
        return try test.matches(row, try table.binding(of: row), key)
    }

    private func test(_ table: TableState) -> RowTest? {
        if let known = tests[table.stored.number] { return known }
        let made = makeTest(table)
        tests[table.stored.number] = .some(made)
        return made
    }
}
