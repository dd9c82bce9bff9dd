/// The values of a column as rows store them.
struct ValueColumn {
    let numbers: Column?
    let texts: TextColumn?
    private let nulls: UnsafeMutablePointer<UInt8>?

    init(_ column: LeafColumn, isText: Bool) {
        numbers = isText ? nil : unsafeDowncast(column, to: Column.self)
        texts = isText ? unsafeDowncast(column, to: TextColumn.self) : nil
        nulls = column.nulls
    }

    /// The value of a row; a text is valid as long as the column.
    @inline(__always)
    func value(_ position: Int, _ type: PropertyType) -> _RawValue {
        if let nulls, nulls[position] != 0 { return .null }
        if let texts { return .bytes(texts.text(position)) }
        guard let numbers else { return .null }
        let word = numbers.word(position)
        if type != .float { return .word(word) }
        let number = Double(bitPattern: UInt64(bitPattern: word))
        return .word(Int64(Float(number).bitPattern))
    }
}

extension Column {
    /// The value of a row in eight bytes; 0 for nil.
    @inline(__always)
    func word(_ position: Int) -> Int64 {
        switch width {
        case 1: Int64(values(as: Int8.self)[position])
        case 2: Int64(values(as: Int16.self)[position])
        case 4: Int64(values(as: Int32.self)[position])
        default: values(as: Int64.self)[position]
        }
    }
}
