import Synchronization
import TravertineStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A 12-byte identifier: four bytes of seconds since 1970, five random ones, a three-byte counter.
///
/// Identifiers made by `generate()` ascend with time to the second, and are different from those of
/// every other process with high probability.
public struct ObjectId: Sendable, Hashable, Comparable {
    /// The bytes, most significant first: their order is the order of identifiers.
    private var high: UInt64
    private var low: UInt32

    private init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// The identifier whose bytes are all zero.
    public init() {
        high = 0
        low = 0
    }

    /// The identifier that 24 hexadecimal digits name.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput` when the text is anything else.
    public init(string: String) throws {
        guard let bytes = Self.bytes(ofHexadecimal: string) else {
            throw Realm.Error(
                .invalidInput,
                "\"\(string)\" is not an ObjectId: it takes exactly 24 hexadecimal digits.")
        }
        self.init(bytes: bytes)
    }

    /// The identifier that 24 hexadecimal digits name; anything else is a programming error.
    public init(_ text: StaticString) {
        guard let bytes = Self.bytes(ofHexadecimal: text.description) else {
            misuse(
                "\"\(text)\" is not an ObjectId: write exactly 24 hexadecimal digits.")
        }
        self.init(bytes: bytes)
    }

    /// An identifier of a point in time, a machine and a process, with a fresh counter.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let time = timestamp.timeIntervalSince1970
        let seconds = time > 0 ? UInt32(min(time, Double(UInt32.max))) : 0
        let machine = UInt64(UInt32(truncatingIfNeeded: machineId) & 0xFF_FFFF)
        let process = UInt64(UInt16(truncatingIfNeeded: processId))
        let counter = Self.nextCount()
        high = UInt64(seconds) << 32 | machine << 8 | process >> 8
        low = UInt32(process & 0xFF) << 24 | counter
    }

    /// A new identifier.
    public static func generate() -> ObjectId {
        let seconds = UInt32(truncatingIfNeeded: time(nil))
        let random = processRandom
        return ObjectId(
            high: UInt64(seconds) << 32 | random >> 8,
            low: UInt32(truncatingIfNeeded: random & 0xFF) << 24 | nextCount())
    }

    /// The second in which the identifier was made.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(high >> 32)) }

    /// The identifier as 24 hexadecimal digits.
    public var stringValue: String {
        let digits = Array("0123456789abcdef".utf8)
        return _withRaw { raw in
            guard case .bytes(let bytes) = raw else { return "" }
            return String(
                decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
                as: UTF8.self)
        }
    }

    /// By bytes: by second, then by process, then by counter.
    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    private init(bytes: [UInt8]) {
        high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 24, text.utf8.count == 24 else { return nil }
        return (0..<12).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }

    private static let processRandom = UInt64.random(in: 0..<(1 << 40))
    private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<(1 << 24)))

    private static func nextCount() -> UInt32 {
        counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
    }
}

extension ObjectId: CustomStringConvertible {
    /// The identifier as 24 hexadecimal digits.
    public var description: String { stringValue }
}

extension ObjectId: Codable {
    /// Decodes 24 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Self.bytes(ofHexadecimal: text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "An ObjectId is 24 hexadecimal digits."))
        }
        self.init(bytes: bytes)
    }

    /// Encodes 24 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension ObjectId: _Scalar, _Indexable, _PrimaryKey {
    /// 12-byte identifiers.
    public static var _propertyType: PropertyType { .objectId }

    /// A new identifier.
    public static func _defaultValue() -> ObjectId { generate() }

    /// The identifier with this stored form.
    public static func _from(_ raw: _RawValue) -> ObjectId? {
        guard case .bytes(let bytes) = raw, bytes.count == 12 else { return nil }
        return ObjectId(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }

    /// Calls `body` with the twelve bytes.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
            return body(.bytes(UnsafeRawBufferPointer(bytes)))
        }
    }

    /// 24 hexadecimal digits.
    public static func _from(any value: Any) -> ObjectId? {
        (value as? String).flatMap { bytes(ofHexadecimal: $0) }.map { ObjectId(bytes: $0) }
    }
}
