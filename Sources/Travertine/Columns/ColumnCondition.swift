/// A condition whose answer for a row is in columns: comparisons of numbers, dates, bools and links
/// of the row itself with constants, under AND, OR and NOT.
indirect enum ColumnCondition: Hashable, Sendable {
    case constant(Bool)
    case not(ColumnCondition)
    /// Of one part at least.
    case and([ColumnCondition])
    /// Of one part at least.
    case or([ColumnCondition])
    /// The number of a column, and how its values compare with a constant.
    case integer(Int, Comparison.Operation, Int64)
    case double(Int, Comparison.Operation, UInt64)
    /// Whether a comparison with nil holds for nil, and for a value.
    case null(Int, holdsForNull: Bool, holdsForValue: Bool)

    /// The columns that the condition reads.
    struct Sources {
        var subjects: [ColumnSubject] = []
        var slots: [Int] = []

        mutating func number(of slot: Int, _ table: TableState) -> Int? {
            if let number = slots.firstIndex(of: slot) { return number }
            guard let subject = ColumnSubject(slot, table) else { return nil }
            slots.append(slot)
            subjects.append(subject)
            return slots.count - 1
        }
    }

    /// Nil for a condition that looks at anything else.
    init?(_ condition: Condition, _ table: TableState, _ sources: inout Sources) {
        switch condition {
        case .constant(let value): self = .constant(value)
        case .not(let operand):
            guard let operand = ColumnCondition(operand, table, &sources) else { return nil }
            self = .not(operand)
        case .and(let parts):
            guard let parts = Self.all(parts, table, &sources) else { return nil }
            self = parts.isEmpty ? .constant(true) : .and(parts)
        case .or(let parts):
            guard let parts = Self.all(parts, table, &sources) else { return nil }
            self = parts.isEmpty ? .constant(false) : .or(parts)
        case .comparison(let reader, let operation, let constant):
            guard let slot = reader.directSlot, let number = sources.number(of: slot, table),
                let made = Self.comparison(number, operation, constant, reader)
            else { return nil }
            self = made
        case .isBetween(let reader, let lower, let upper):
            guard let slot = reader.directSlot, let number = sources.number(of: slot, table),
                let first = Self.comparison(number, .greaterOrEqual, lower, reader),
                let second = Self.comparison(number, .lessOrEqual, upper, reader)
            else { return nil }
            self = .and([first, second])
        case .isIn(let reader, let constants) where (1...16).contains(constants.count):
            guard let slot = reader.directSlot, let number = sources.number(of: slot, table) else {
                return nil
            }
            let parts = constants.map { Self.comparison(number, .equal, $0, reader) }
            guard !parts.contains(nil) else { return nil }
            // Nothing is one of no constants.
            self = parts.isEmpty ? .constant(false) : .or(parts.compactMap { $0 })
        case .isIn, .text, .words, .isWithin, .other: return nil
        }
    }

    private static func all(
        _ parts: [Condition], _ table: TableState, _ sources: inout Sources
    ) -> [ColumnCondition]? {
        if parts.isEmpty { return nil }
        var made: [ColumnCondition] = []
        for part in parts {
            guard let part = ColumnCondition(part, table, &sources) else { return nil }
            made.append(part)
        }
        return made
    }

    private static func comparison(
        _ number: Int, _ operation: Comparison.Operation, _ constant: RawConstant,
        _ reader: PropertyReader
    ) -> ColumnCondition? {
        switch constant {
        case .null:
            return .null(
                number, holdsForNull: operation.holdsForNil,
                holdsForValue: operation == .notEqual)
        case .word(let word):
            return reader.isReal
                ? .double(number, operation, reader.number(word).bitPattern)
                : .integer(number, operation, word)
        case .bytes: return nil
        }
    }

    // MARK: Evaluating

    /// Sets `mask` to 1 for each row that fulfils the condition, else 0; `mask` has room for
    /// `Column.countMax`, what is after the rows is undefined.
    func evaluate(_ columns: [Column], _ count: Int, _ mask: UnsafeMutablePointer<UInt8>) {
        switch self {
        case .constant(let value): mask.update(repeating: value ? 1 : 0, count: Column.countMax)
        case .not(let operand):
            operand.evaluate(columns, count, mask)
            Column.forEachPlace { mask[$0] = 1 &- mask[$0] }
        case .and(let parts): evaluate(parts, columns, count, mask) { $0 & $1 }
        case .or(let parts): evaluate(parts, columns, count, mask) { $0 | $1 }
        case .integer(let number, let operation, let constant):
            columns[number].compare(operation, constant, mask)
        case .double(let number, let operation, let constant):
            columns[number].compare(operation, Double(bitPattern: constant), mask)
        case .null(let number, let holdsForNull, let holdsForValue):
            columns[number].testNull(holdsForNull, holdsForValue, mask)
        }
    }

    @inline(__always)
    private func evaluate(
        _ parts: [ColumnCondition], _ columns: [Column], _ count: Int,
        _ mask: UnsafeMutablePointer<UInt8>, _ join: (UInt8, UInt8) -> UInt8
    ) {
        guard let first = parts.first else { return assertionFailure("AND and OR have parts") }
        first.evaluate(columns, count, mask)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Column.countMax) { other in
            guard let other = other.baseAddress else { return }
            for part in parts.dropFirst() {
                part.evaluate(columns, count, other)
                Column.forEachPlace { mask[$0] = join(mask[$0], other[$0]) }
            }
        }
    }

    // MARK: Counting

    /// The number of rows that fulfil the condition. A comparison alone is counted without a mask.
    func matchCount(_ columns: [Column], _ count: Int) -> Int {
        switch self {
        case .constant(let value): value ? count : 0
        case .not(let operand): count - operand.matchCount(columns, count)
        case .integer(let number, let operation, let constant):
            columns[number].matchCount(operation, constant)
        case .double(let number, let operation, let constant):
            columns[number].matchCount(operation, Double(bitPattern: constant))
        case .null(let number, let holdsForNull, let holdsForValue):
            (holdsForNull ? columns[number].nullCount : 0)
                + (holdsForValue ? count - columns[number].nullCount : 0)
        case .and, .or: maskedCount(columns, count)
        }
    }

    private func maskedCount(_ columns: [Column], _ count: Int) -> Int {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Column.countMax) { mask in
            guard let mask = mask.baseAddress else { return 0 }
            evaluate(columns, count, mask)
            // At most 208: a byte holds it, so that bytes are added.
            var matches: UInt8 = 0
            for position in 0..<count { matches &+= mask[position] }
            return Int(matches)
        }
    }
}
