/// Where a property is in the rows of one layout, ready for the instructions that read it.
///
/// Public because reading a property is inlined into its class (`_Persistable._read`).
///
/// A number of any width is read the same way: load the eight bytes that *end* where the place
/// ends, then shift right. The layout keeps every such place from ending before byte 8 of the row,
/// so that the load stays inside. A variable property is the bytes between two such numbers, the
/// end of the piece before it and its own.
@frozen
public struct _FieldOffset: BitwiseCopyable, Sendable {
    /// Number: where the load begins. Fixed bytes: where they begin. Variable: where the load of
    /// the piece's end begins.
    @usableFromInline var offset: UInt16
    /// How far a loaded number is shifted right: 64 less its width in bits.
    @usableFromInline var shift: UInt8
    @usableFromInline var flags: UInt8
    /// The property's bit, counted from the row's first; 0 if it can't be null.
    @usableFromInline var nullBit: UInt16
    /// First variable piece: where the variable area begins. Otherwise 0.
    @usableFromInline var start: UInt16

    /// The flag of a property that rows of the layout don't have.
    static let absentFlag: UInt8 = 1
    /// The flag of a link whose value names the type of its object.
    static let varyingFlag: UInt8 = 2

    init(offset: Int, shift: Int, nullBit: Int, start: Int = 0) {
        self.offset = UInt16(offset)
        self.shift = UInt8(shift)
        flags = 0
        self.nullBit = UInt16(nullBit)
        self.start = UInt16(start)
    }

    /// The place of a property that rows of the layout don't have.
    static var absent: _FieldOffset {
        var place = _FieldOffset(offset: 0, shift: 0, nullBit: 0)
        place.flags = absentFlag
        return place
    }

    var isAbsent: Bool { flags & Self.absentFlag != 0 }
    var isVarying: Bool { flags & Self.varyingFlag != 0 }

    /// Whether both stand at the same place and are read alike.
    func isSame(as other: _FieldOffset) -> Bool {
        offset == other.offset && shift == other.shift && flags == other.flags
            && nullBit == other.nullBit && start == other.start
    }

    /// The width in bytes of the number at the place.
    var width: Int { (64 - Int(shift)) / 8 }
}

/// Reads rows through places.
///
/// `row` points to a row of at least the layout's fixed size (`LayoutBinding` checks that before
/// it hands out places); the variable area is checked here against the row's size.
extension _FieldOffset {
    /// The number at the place, sign-extended.
    @inlinable @inline(__always)
    func word(in row: UnsafeRawPointer) -> Int64 {
        Int64(littleEndian: (row + Int(offset)).loadUnaligned(as: Int64.self)) &>> Int64(shift)
    }

    /// The number at the place, zero-extended.
    @inlinable @inline(__always)
    func unsignedWord(in row: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: (row + Int(offset)).loadUnaligned(as: UInt64.self)) &>> UInt64(shift)
    }

    /// Whether the property is null in the row.
    @inlinable @inline(__always)
    func isNull(in row: UnsafeRawPointer) -> Bool {
        guard nullBit != 0 else { return false }
        let byte = (row + Int(nullBit &>> 3)).load(as: UInt8.self)
        return byte & (1 &<< UInt8(truncatingIfNeeded: nullBit & 7)) != 0
    }

    /// The bytes of a variable property; empty if the row contradicts itself.
    @inlinable @inline(__always)
    func variable(
        in row: UnsafeRawPointer, byteCount: Int
    ) -> UnsafeRawBufferPointer {
        let end = Int(truncatingIfNeeded: unsignedWord(in: row))
        let begin: Int
        if start != 0 {
            begin = Int(start)
        } else {
            let width = (64 - UInt64(shift)) &>> 3
            let before = (row + (Int(offset) - Int(width))).loadUnaligned(as: UInt64.self)
            begin = Int(truncatingIfNeeded: UInt64(littleEndian: before) &>> UInt64(shift))
        }
        guard begin <= end, begin >= 0, end <= byteCount else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: row + begin, count: end - begin)
    }

    /// Fixed bytes at the place.
    @inlinable @inline(__always)
    func fixed(in row: UnsafeRawPointer, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: row + Int(offset), count: count)
    }

    /// The property's value as stored, whatever its type.
    @inline(__always)
    func value(
        in row: UnsafeRawPointer, byteCount: Int, shape: PieceShape
    ) -> _RawValue {
        if isNull(in: row) { return .null }
        switch shape {
        case .word: return .word(word(in: row))
        case .fixed(let count): return .bytes(fixed(in: row, Int(count)))
        case .variable: return .bytes(variable(in: row, byteCount: byteCount))
        }
    }
}

/// A property's value as it is stored: a number, bytes, or null.
///
/// Public because `_Scalar` and `RealmCollectionValue` have it in their requirements.
///
/// Numbers carry Int (sign-extended), Bool (0 or 1), the bits of Float and Double, a Date's
/// interval since 2001 as the bits of a Double, and the object key of a link.
@frozen
public enum _RawValue {
    /// No value.
    case null
    /// A number, or the bits of one.
    case word(Int64)
    /// Bytes, valid as long as the row they come from.
    case bytes(UnsafeRawBufferPointer)
}

/// How a property takes its place in a row.
enum PieceShape: Equatable, Sendable {
    /// A number of 1, 2, 4 or 8 bytes.
    case word
    /// Always this many bytes.
    case fixed(UInt8)
    /// Any number of bytes, in the variable area.
    case variable
}
