/// A value for a placeholder of a statement. The server infers its type from its use.
public enum Parameter: Hashable, Sendable {
    /// NULL.
    case null
    /// The value as text, as the type's input function reads it.
    case text(String)
    /// The value in the type's binary form: of `bytea`, the bytes themselves.
    case binary([UInt8])

    /// A whole number.
    public static func int(_ value: Int64) -> Parameter { .text(String(value)) }

    /// A floating-point number, which the server reads as the same bits.
    public static func double(_ value: Double) -> Parameter {
        var text = CopyText()
        text.append(value)
        return .text(String(decoding: text.bytes, as: UTF8.self))
    }

    /// A truth value.
    public static func bool(_ value: Bool) -> Parameter { .text(value ? "t" : "f") }
}

extension Parameter: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// NULL.
    public init(nilLiteral: ()) { self = .null }
}

/// The values of a request in the form of libpq: one buffer, and where each value is in it.
struct ParameterList {
    private var bytes: [CChar] = []
    /// -1 for NULL.
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// - Throws: `.nulCharacter`; `.misuse` for a value of 1 GiB or more, the protocol's limit.
    init(_ parameters: [Parameter]) throws(PostgreSQLError) {
        for parameter in parameters {
            switch parameter {
            case .null: append(nil, format: 0)
            case .text(let text):
                try text.checkForNUL()
                append(Array(text.utf8), format: 0)
            case .binary(let value): append(value, format: 1)
            }
        }
        guard parameters.count <= Int(UInt16.max), bytes.count < 1 << 30 else {
            throw .misuse("more than 65,535 parameters, or more than 1 GiB of them")
        }
    }

    private mutating func append(_ value: [UInt8]?, format: Int32) {
        formats.append(format)
        guard let value else {
            offsets.append(-1)
            lengths.append(0)
            return
        }
        offsets.append(bytes.count)
        lengths.append(Int32(clamping: value.count))
        for byte in value { bytes.append(CChar(bitPattern: byte)) }
        // libpq reads text values to a NUL.
        bytes.append(0)
    }

    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            let pointers = offsets.map { offset -> UnsafePointer<CChar>? in
                offset < 0 ? nil : bytes.baseAddress! + offset
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(
                            Int32(offsets.count), pointers.baseAddress, lengths.baseAddress,
                            formats.baseAddress)
                    }
                }
            }
        }
    }
}
