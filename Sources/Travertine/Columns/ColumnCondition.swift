/// A condition whose answer for a row is in columns: comparisons of numbers, dates, bools, links
/// and texts of the row itself with constants, under AND, OR and NOT.
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
    /// Whether a number, or the bits of a double, is one of several.
    case isIn(Int, WordSet, hasNull: Bool)
    /// How texts, folded as their column is, compare with another one.
    case text(Int, Comparison.Operation, [UInt8])
    case isText(Int, in: TextSet, hasNull: Bool)

    /// The columns that the condition reads.
    struct Sources {
        var subjects: [ColumnSubject] = []
        var columns: [ColumnSource] = []

        mutating func number(
            of slot: Int, folding: StringOptions = [], _ table: TableState
        ) -> Int? {
            let column = ColumnSource(slot: slot, folding: folding)
            if let number = columns.firstIndex(of: column) { return number }
            guard let subject = ColumnSubject(column, table) else { return nil }
            columns.append(column)
            subjects.append(subject)
            return columns.count - 1
        }
    }

    /// So many constants of `IN` are compared one after the other.
    private static let comparedConstantCountMax = 8

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
        case .isIn(let reader, let constants):
            guard let slot = reader.directSlot, let number = sources.number(of: slot, table) else {
                return nil
            }
            self = Self.membership(number, constants, reader)
        case .text(let reader, let operation, let text, let options):
            guard let slot = reader.directSlot, reader.type.type == .string,
                let number = sources.number(of: slot, folding: options, table)
            else { return nil }
            let wanted =
                options.isEmpty ? Array(text.utf8) : TextFolding.folded(text, options)
            self = .text(number, operation, wanted)
        case .other(let test as TextMembershipTest):
            guard let slot = test.reader.directSlot, test.reader.type.type == .string,
                let number = sources.number(of: slot, folding: test.options, table)
            else { return nil }
            self = .isText(number, in: TextSet(test.wanted), hasNull: test.hasNull)
        case .words, .isWithin, .other: return nil
        }
    }

    private static func membership(
        _ number: Int, _ constants: [RawConstant], _ reader: PropertyReader
    ) -> ColumnCondition {
        // Nothing is one of no constants.
        if constants.isEmpty { return .constant(false) }
        let hasNull = constants.contains(.null)
        var words: [Int64] = []
        var texts: [[UInt8]] = []
        for constant in constants {
            switch constant {
            case .null: break
            case .word(let word):
                if !reader.isReal {
                    words.append(word)
                } else if !reader.number(word).isNaN {
                    words.append(WordSet.word(reader.number(word)))
                }
            case .bytes(let bytes): texts.append(bytes)
            }
        }
        if reader.type.type == .string {
            return .isText(number, in: TextSet(texts), hasNull: hasNull)
        }
        if constants.count <= comparedConstantCountMax {
            let parts = constants.compactMap { comparison(number, .equal, $0, reader) }
            if parts.count == constants.count { return .or(parts) }
        }
        return .isIn(number, WordSet(words), hasNull: hasNull)
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
        case .bytes(let bytes):
            return reader.type.type == .string ? .text(number, operation, bytes) : nil
        }
    }

    /// What the condition takes in memory, about.
    var byteCount: Int {
        switch self {
        case .constant, .integer, .double, .null: 48
        case .not(let operand): 48 + operand.byteCount
        case .and(let parts), .or(let parts): parts.reduce(64) { $0 + $1.byteCount }
        case .isIn(_, let words, _): 48 + words.byteCount
        case .text(_, _, let text): 96 + text.count
        case .isText(_, let texts, _): 48 + texts.byteCount
        }
    }

    // MARK: Evaluating

    @inline(__always)
    private static func numbers(_ columns: [LeafColumn], _ number: Int) -> Column {
        assert(columns[number] is Column, "a condition on numbers has a column of them")
        return unsafeDowncast(columns[number], to: Column.self)
    }

    @inline(__always)
    private static func texts(_ columns: [LeafColumn], _ number: Int) -> TextColumn {
        assert(columns[number] is TextColumn, "a condition on texts has a column of them")
        return unsafeDowncast(columns[number], to: TextColumn.self)
    }

    /// Sets `mask` to 1 for each row that fulfils the condition, else 0; `mask` has room for
    /// `Column.countMax`, what is after the rows is undefined.
    func evaluate(_ columns: [LeafColumn], _ count: Int, _ mask: UnsafeMutablePointer<UInt8>) {
        switch self {
        case .constant(let value): mask.update(repeating: value ? 1 : 0, count: Column.countMax)
        case .not(let operand):
            operand.evaluate(columns, count, mask)
            Column.forEachPlace { mask[$0] = 1 &- mask[$0] }
        case .and(let parts): evaluate(parts, columns, count, mask) { $0 & $1 }
        case .or(let parts): evaluate(parts, columns, count, mask) { $0 | $1 }
        case .integer(let number, let operation, let constant):
            Self.numbers(columns, number).compare(operation, constant, mask)
        case .double(let number, let operation, let constant):
            Self.numbers(columns, number).compare(
                operation, Double(bitPattern: constant), mask)
        case .null(let number, let holdsForNull, let holdsForValue):
            columns[number].testNull(holdsForNull, holdsForValue, mask)
        case .isIn(let number, let words, let hasNull):
            Self.numbers(columns, number).compare(words, hasNull: hasNull, mask)
        case .text(let number, let operation, let wanted):
            wanted.withUnsafeBytes { Self.texts(columns, number).compare(operation, $0, mask) }
        case .isText(let number, let wanted, let hasNull):
            Self.texts(columns, number).compare(wanted, hasNull: hasNull, mask)
        }
    }

    @inline(__always)
    private func evaluate(
        _ parts: [ColumnCondition], _ columns: [LeafColumn], _ count: Int,
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
    func matchCount(_ columns: [LeafColumn], _ count: Int) -> Int {
        switch self {
        case .constant(let value): value ? count : 0
        case .not(let operand): count - operand.matchCount(columns, count)
        case .integer(let number, let operation, let constant):
            Self.numbers(columns, number).matchCount(operation, constant)
        case .double(let number, let operation, let constant):
            Self.numbers(columns, number).matchCount(operation, Double(bitPattern: constant))
        case .null(let number, let holdsForNull, let holdsForValue):
            (holdsForNull ? columns[number].nullCount : 0)
                + (holdsForValue ? count - columns[number].nullCount : 0)
        case .and, .or, .isIn, .text, .isText: maskedCount(columns, count)
        }
    }

    private func maskedCount(_ columns: [LeafColumn], _ count: Int) -> Int {
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
