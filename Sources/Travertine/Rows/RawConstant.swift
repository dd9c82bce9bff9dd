import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value in its stored form, kept: a constant of a condition, a primary key, or what a property
/// has in rows that lack it.
enum RawConstant: Hashable, Sendable {
    case null
    case word(Int64)
    case bytes([UInt8])

    init(_ raw: _RawValue) {
        switch raw {
        case .null: self = .null
        case .word(let word): self = .word(word)
        case .bytes(let bytes): self = .bytes(Array(bytes))
        }
    }

    /// What a property has for which no default is declared: null, which means zero bytes where it
    /// can't be nil, and the first instant of 1970 for a date.
    init(undeclaredOf type: _StoredType) {
        self =
            type.isDate
            ? Date(timeIntervalSince1970: 0)._withRaw { RawConstant($0) } : .null
    }

    /// Calls `body` with the value.
    func withRaw<Result>(_ body: (_RawValue) throws -> Result) rethrows -> Result {
        switch self {
        case .null: try body(.null)
        case .word(let word): try body(.word(word))
        case .bytes(let bytes): try bytes.withUnsafeBytes { try body(.bytes($0)) }
        }
    }
}

extension RawConstant {
    /// A tag byte, and what it announces: nothing, a number, or bytes after their count.
    func write(to writer: inout ByteWriter) {
        switch self {
        case .null: writer.append(UInt8(0))
        case .word(let word):
            writer.append(UInt8(1))
            writer.append(word)
        case .bytes(let bytes):
            writer.append(UInt8(2))
            writer.append(counted: bytes)
        }
    }
}
