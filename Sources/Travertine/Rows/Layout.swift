import TravertineStore

/// What the rows of one layout look like: which properties they have, and where.
///
/// A layout never changes and its number is never used again within its type. A row begins with the
/// number of its layout, so that rows of several layouts stand side by side: adding or removing a
/// property, or widening a number, makes a new layout and rewrites nothing.
struct Layout: Equatable, Sendable {
    /// A property in the layout.
    struct Entry: Equatable, Sendable {
        /// The property's number within its type.
        var property: UInt32
        var shape: PieceShape
        /// The width of a number; unused for other shapes.
        var width: UInt8
        /// The property's bit, counted from the row's first; 0 if it can't be null.
        var nullBit: UInt16
        /// Where the number or the fixed bytes begin; for a variable property, where the number
        /// begins that gives the end of its piece.
        var offset: UInt16
    }

    var number: UInt16
    /// The width of the numbers that say where pieces of the variable area end.
    var endWidth: UInt8
    /// Bytes before the variable area; the least size of a row.
    var fixedByteCount: UInt16
    /// In the order of the numbers of the properties; variable pieces are stored in this order.
    var entries: [Entry]

    /// The most bytes that the fixed part of a row may have.
    static let fixedByteCountMax = 32 << 10

    /// A property to be laid out.
    struct Field {
        var property: UInt32
        var type: _StoredType
        /// The least width of a number.
        var width: Int
    }

    /// Lays out fields: header, null bits, fixed places from wide to narrow, ends of pieces.
    ///
    /// Nil if the fixed part would be larger than `fixedByteCountMax`.
    init?(number: UInt16, fields: [Field], endWidth: Int) {
        self.number = number
        self.endWidth = UInt8(endWidth)
        entries = []
        var bit = 16
        for field in fields {
            var entry = Entry(
                property: field.property, shape: field.type.shape,
                width: UInt8(field.type.shape == .word ? field.width : 0), nullBit: 0, offset: 0)
            if field.type.takesNullBit {
                guard let nullBit = UInt16(exactly: bit) else { return nil }
                entry.nullBit = nullBit
                bit += 1
            }
            entries.append(entry)
            if bit > 8 * Self.fixedByteCountMax { return nil }
        }
        var end = (bit + 7) / 8
        for size in [16, 12, 8, 4, 2, 1] {
            for place in entries.indices where entries[place].fixedSize == size {
                if entries[place].shape == .word { end = max(end, 8 - size) }
                entries[place].offset = UInt16(end)
                end += size
                if end > Self.fixedByteCountMax { return nil }
            }
        }
        for place in entries.indices where entries[place].shape == .variable {
            end = max(end, 8 - endWidth)
            entries[place].offset = UInt16(end)
            end += endWidth
            if end > Self.fixedByteCountMax { return nil }
        }
        fixedByteCount = UInt16(end)
    }

    /// The place of an entry.
    func place(of entry: Entry) -> _FieldOffset {
        let bit = Int(entry.nullBit)
        switch entry.shape {
        case .word:
            let width = Int(entry.width)
            return _FieldOffset(
                offset: Int(entry.offset) + width - 8, shift: 64 - 8 * width, nullBit: bit)
        case .fixed:
            return _FieldOffset(offset: Int(entry.offset), shift: 0, nullBit: bit)
        case .variable:
            let width = Int(endWidth)
            let isFirst = entries.first { $0.shape == .variable } == entry
            return _FieldOffset(
                offset: Int(entry.offset) + width - 8, shift: 64 - 8 * width, nullBit: bit,
                start: isFirst ? Int(fixedByteCount) : 0)
        }
    }

    /// The least width of 1, 2, 4 or 8 bytes that a signed number fits in.
    static func width(of value: Int64) -> Int {
        if value == Int64(Int8(truncatingIfNeeded: value)) { return 1 }
        if value == Int64(Int16(truncatingIfNeeded: value)) { return 2 }
        if value == Int64(Int32(truncatingIfNeeded: value)) { return 4 }
        return 8
    }
}

extension Layout.Entry {
    /// The bytes in the fixed part; 0 for a variable property.
    fileprivate var fixedSize: Int {
        switch shape {
        case .word: Int(width)
        case .fixed(let count): Int(count)
        case .variable: 0
        }
    }
}

/// The stored form of a layout (record kind 2 of the schema keyspace).
extension Layout {
    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(endWidth)
        writer.append(UInt8(0))
        writer.append(fixedByteCount)
        writer.append(UInt32(entries.count))
        for entry in entries {
            writer.append(entry.property)
            switch entry.shape {
            case .word:
                writer.append(UInt8(0))
                writer.append(entry.width)
            case .fixed(let count):
                writer.append(UInt8(1))
                writer.append(count)
            case .variable:
                writer.append(UInt8(2))
                writer.append(UInt8(0))
            }
            writer.append(entry.nullBit)
            writer.append(entry.offset)
            writer.append(UInt16(0))
        }
        return writer.bytes
    }

    /// Reads a stored layout and checks that no place leaves the fixed part.
    init(number: UInt16, encoded: UnsafeRawBufferPointer) throws(SchemaDamage) {
        var reader = ByteReader(encoded)
        self.number = number
        endWidth = try reader.take(UInt8.self)
        _ = try reader.take(UInt8.self)
        fixedByteCount = try reader.take(UInt16.self)
        let count = try reader.take(UInt32.self)
        entries = []
        for _ in 0..<count {
            let property = try reader.take(UInt32.self)
            let code = try reader.take(UInt8.self)
            let size = try reader.take(UInt8.self)
            let bit = try reader.take(UInt16.self)
            let offset = try reader.take(UInt16.self)
            _ = try reader.take(UInt16.self)
            let shape: PieceShape
            switch code {
            case 0: shape = .word
            case 1: shape = .fixed(size)
            case 2: shape = .variable
            default: throw SchemaDamage()
            }
            entries.append(
                Entry(
                    property: property, shape: shape, width: code == 0 ? size : 0, nullBit: bit,
                    offset: offset))
        }
        try check()
    }

    private func check() throws(SchemaDamage) {
        guard [1, 2, 4].contains(endWidth), fixedByteCount >= 2,
            Int(fixedByteCount) <= Self.fixedByteCountMax
        else { throw SchemaDamage() }
        for entry in entries {
            let size = entry.shape == .variable ? Int(endWidth) : entry.fixedSize
            let end = Int(entry.offset) + size
            let isNumber = entry.shape != .fixed(UInt8(truncatingIfNeeded: size))
            guard end <= Int(fixedByteCount), entry.offset >= 2, !isNumber || end >= 8,
                Int(entry.nullBit) < 8 * Int(fixedByteCount),
                entry.nullBit == 0 || entry.nullBit >= 16,
                entry.shape != .word || [1, 2, 4, 8].contains(entry.width)
            else { throw SchemaDamage() }
        }
        let ends = entries.filter { $0.shape == .variable }.map { Int($0.offset) }
        for (place, offset) in ends.enumerated().dropFirst() {
            guard offset == ends[place - 1] + Int(endWidth), offset >= 8 else {
                throw SchemaDamage()
            }
        }
    }
}
