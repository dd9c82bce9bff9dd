import OrderedIndex
import TravertineStore

/// Builds the columns of leaves from their rows; of one thread.
final class ColumnBuilder {
    private let plan: ColumnPlan
    /// The plan's, for each row: several builders would count references to it at once.
    private let type: Unmanaged<TypeDescription>
    /// Of each column that has texts.
    private let texts: [TextColumnBuilder?]
    @exclusivity(unchecked) private var reader: LeafRowReader
    /// The layout of the row that was looked at last; the type keeps it.
    @exclusivity(unchecked) private var layout = LayoutAccess.none
    /// How many rows were read.
    private(set) var rowCount = 0

    init(_ plan: ColumnPlan) {
        self.plan = plan
        type = Unmanaged.passUnretained(plan.type)
        texts = plan.subjects.map { $0.isText ? TextColumnBuilder(folding: $0.folding) : nil }
        reader = LeafRowReader(plan.access)
    }

    /// A row is shorter than its layout says, or has an unknown one.
    struct DamagedRow: Error {}

    /// The columns of a leaf, in the order of the plan. Reads all rows of the leaf first, so that
    /// the loop over one property's values calls nothing for most of them.
    ///
    /// - Throws: damage of a row; `DamagedRow` if it contradicts its layout.
    func build(_ leaf: LeafEntries) throws -> [LeafColumn] {
        let (count, width) = (leaf.count, plan.slots.count)
        precondition(count <= Column.countMax, "a leaf has more rows than a column has places")
        for builder in texts { builder?.removeAll() }
        return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: count * width + 1) {
            words in
            try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * width + 1) {
                nulls in
                nulls.initialize(repeating: 0)
                try forEachRun(of: leaf) { first, rows in
                    for number in 0..<width {
                        if let builder = texts[number] {
                            try addTexts(of: rows, plan.slots[number], to: builder)
                            continue
                        }
                        let place = number * count + first
                        try readWords(
                            of: rows, number, words.baseAddress.unsafelyUnwrapped + place,
                            nulls.baseAddress.unsafelyUnwrapped + place)
                    }
                }
                return (0..<width).map { number in
                    if let builder = texts[number] { return TextColumn(builder) }
                    let part = number * count..<(number + 1) * count
                    return Column(
                        plan.subjects[number].kind,
                        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(words)[part]),
                        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(nulls)[part]))
                }
            }
        }
    }

    /// Calls `body` with the rows of a leaf and the position of their first: of all at once, unless
    /// one is compressed.
    private func forEachRun(
        of leaf: LeafEntries, _ body: (Int, UnsafeBufferPointer<NumberedRow>) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(of: NumberedRow.self, capacity: Column.countMax) { rows in
            guard let start = rows.baseAddress else { return }
            var first = 0
            while first < leaf.count {
                let taken = reader.takeAll(of: leaf, from: first, into: start)
                rowCount &+= taken.count
                try body(first, UnsafeBufferPointer(start: start, count: taken.count))
                if let failure = taken.failure { throw failure }
                first += taken.count
            }
        }
    }

    private func addTexts(
        of rows: UnsafeBufferPointer<NumberedRow>, _ slot: Int, to builder: TextColumnBuilder
    ) throws {
        for row in rows {
            let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
            builder.append(try value(at: slot, in: bytes))
        }
    }

    /// Reads the numbers of a column. Where they are is looked up once for rows of one layout that
    /// follow one another.
    private func readWords(
        of rows: UnsafeBufferPointer<NumberedRow>, _ number: Int,
        _ words: UnsafeMutablePointer<Int64>, _ nulls: UnsafeMutablePointer<UInt8>
    ) throws {
        let (slot, subject) = (plan.slots[number], plan.subjects[number])
        // No layout has that number.
        var layout = Int.max
        var byteCountMin = 2
        var offset = _FieldOffset.absent
        for position in 0..<rows.count {
            let row = rows[position]
            let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
            guard let start = row.base, row.byteCount >= byteCountMin,
                Int(UInt16(littleEndian: start.loadUnaligned(as: UInt16.self))) == layout,
                !offset.isAbsent, !offset.isNull(in: start)
            else {
                let found = try self.layout(of: bytes)
                layout = Int(found.number)
                byteCountMin = max(2, found.fixedByteCount)
                offset =
                    found.binding?._withUnsafeGuaranteedRef { $0.places[slot] } ?? .absent
                if case .word(let word) = try value(at: slot, in: bytes) {
                    words[position] = word
                } else {
                    words[position] = 0
                    nulls[position] = 1
                }
                continue
            }
            words[position] = offset.word(in: start)
        }
        guard subject.type == .float else { return }
        for position in 0..<rows.count where nulls[position] == 0 {
            words[position] = subject.word(words[position])
        }
    }

    /// The value of a slot in a row; nothing is counted.
    @inline(__always)
    private func value(at slot: Int, in row: UnsafeRawBufferPointer) throws -> _RawValue {
        let stored = try layout(of: row).binding?._withUnsafeGuaranteedRef {
            $0.value(at: slot, in: row)
        }
        return type._withUnsafeGuaranteedRef { $0.value(at: slot, stored: stored ?? nil) }
    }

    /// The layout of a row, its fixed part being there.
    @inline(__always)
    private func layout(of row: UnsafeRawBufferPointer) throws -> LayoutAccess {
        guard row.count >= 2, let base = row.baseAddress else { throw DamagedRow() }
        let number = UInt16(littleEndian: base.loadUnaligned(as: UInt16.self))
        if layout.number != Int32(number) { try find(number) }
        guard row.count >= layout.fixedByteCount else { throw DamagedRow() }
        return layout
    }

    @inline(never)
    private func find(_ number: UInt16) throws {
        let found = try plan.type.binding(number) {
            try StoredSchema.loadLayout(
                plan.access, keyspace: plan.schemaKeyspace, type: plan.type.stored.number,
                number: number)
        }
        guard let found else { throw DamagedRow() }
        layout = LayoutAccess(found)
    }
}

extension ColumnSubject {
    /// What a column has for a stored word.
    @inline(__always)
    fileprivate func word(_ word: Int64) -> Int64 {
        if type != .float { return word }
        let number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
        return Int64(bitPattern: number.bitPattern)
    }
}
