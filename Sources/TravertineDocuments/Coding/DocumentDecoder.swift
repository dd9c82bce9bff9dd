import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes `Decodable` values of documents.
///
/// Numbers are converted where nothing is lost: an integer of either width to every integer type
/// that holds it and to floating point, a floating-point number without fraction to integers and
/// one that a `Float` holds to that, a decimal to `Decimal`. Whatever would be rounded is an error,
/// but for the text of a `Float`: 0.1 is the `Float` that is written so.
/// What is null and what is missing are both nil.
public struct DocumentDecoder: Sendable {
    /// What `init(from:)` of the values finds under `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// A decoder without user info.
    public init() {}

    /// The value that a document holds.
    ///
    /// - Throws: `DecodingError` with the path of what does not fit; and what the type's coding
    ///   throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from document: Document
    ) throws -> Value {
        try decode(type, from: .document(document))
    }

    /// The value that a value of a document holds.
    ///
    /// - Throws: as for documents.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from value: AnyBSON
    ) throws -> Value {
        try DocumentValueDecoder(value, codingPath: [], userInfo: userInfo).unbox(type)
    }
}

/// The decoder of one value.
private struct DocumentValueDecoder: Decoder {
    let value: AnyBSON
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    init(_ value: AnyBSON, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
        self.value = value
        self.codingPath = codingPath
        self.userInfo = userInfo
    }

    func below(_ value: AnyBSON, _ key: any CodingKey) -> DocumentValueDecoder {
        DocumentValueDecoder(value, codingPath: codingPath + [key], userInfo: userInfo)
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let isNumber =
            switch value {
            case .int32, .int64, .double, .decimal128: true
            default: false
            }
        let found = isNumber ? "the \(value.typeName) \(value) found, which it can't be whole" : ""
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "\(type) expected, "
                + (isNumber && Self.isNumeric(type) ? found : "\(value.typeName) found") + ".")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private static func isNumeric(_ type: Any.Type) -> Bool {
        type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
            || type is Decimal.Type
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .document(let document) = value else { throw mismatch(Document.self) }
        return KeyedDecodingContainer(KeyedDocument<Key>(self, document))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let array) = value else { throw mismatch([AnyBSON].self) }
        return OrderedValues(self, array)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { OneValue(self) }

    func unbox<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let found: Any?
        switch type {
        case is AnyBSON.Type: found = value
        case is Document.Type: found = value.documentValue
        case is String.Type: found = value.stringValue
        case is Bool.Type: found = value.boolValue
        case is Double.Type: found = number
        case is Float.Type: found = float
        case let integer as any FixedWidthInteger.Type: found = self.integer(integer)
        case is ObjectId.Type: found = value.objectIdValue
        case is Decimal128.Type: found = decimal
        case is Date.Type: found = value.dateValue
        case is UUID.Type: found = value.uuidValue
        case is Data.Type: found = value.binaryValue
        case is Decimal.Type: found = decimal?.decimalValue
        default: return try Value(from: self)
        }
        guard let found = found as? Value else { throw mismatch(type) }
        return found
    }

    private var number: Double? {
        switch value {
        case .double(let number): number
        case .int32(let number): Double(number)
        case .int64(let number): Double(exactly: number)
        default: nil
        }
    }

    /// The number if a `Float` holds it, or is written as it in as few digits as distinguish it
    /// from others.
    ///
    /// Integers are exact in documents, so that none becomes another number.
    private var float: Float? {
        guard let number else { return nil }
        if number.isNaN { return .nan }
        if let exact = Float(exactly: number) { return exact }
        guard case .double = value else { return nil }
        let nearest = Float(number)
        return Double(nearest.description) == number ? nearest : nil
    }

    private var decimal: Decimal128? {
        switch value {
        case .decimal128(let number): number
        case .int32(let number): Decimal128(number)
        case .int64(let number): Decimal128(number)
        default: nil
        }
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch value {
        case .int32(let number): Integer(exactly: number)
        case .int64(let number): Integer(exactly: number)
        case .double(let number): Integer(exactly: number)
        default: nil
        }
    }
}

private struct KeyedDocument<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: DocumentValueDecoder
    private let values: [NameBytes: AnyBSON]
    let allKeys: [Key]

    init(_ decoder: DocumentValueDecoder, _ document: Document) {
        self.decoder = decoder
        values = Dictionary(document.map { (NameBytes($0.key), $0.value) }) { first, _ in first }
        allKeys = document.compactMap { Key(stringValue: $0.key) }
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    func contains(_ key: Key) -> Bool { values[NameBytes(key.stringValue)] != nil }

    private func below(_ key: Key) throws -> DocumentValueDecoder {
        guard let value = values[NameBytes(key.stringValue)] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "There is no \"\(key.stringValue)\"."))
        }
        return decoder.below(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try below(key).value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try below(key).unbox(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try below(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try below(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        decoder.below(values["super"] ?? .null, DocumentKey("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try below(key) }
}

private struct OrderedValues: UnkeyedDecodingContainer {
    private let decoder: DocumentValueDecoder
    private let values: [AnyBSON]
    private(set) var currentIndex = 0

    init(_ decoder: DocumentValueDecoder, _ values: [AnyBSON]) {
        self.decoder = decoder
        self.values = values
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex == values.count }

    /// The next value, which is taken if `body` makes something of it.
    private mutating func next<Result>(_ body: (DocumentValueDecoder) throws -> Result) throws
        -> Result
    {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                AnyBSON.self,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "The array has no more elements."))
        }
        let key = DocumentKey(String(currentIndex))
        let result = try body(decoder.below(values[currentIndex], key))
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd || !values[currentIndex].isNull { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.unbox(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

private struct OneValue: SingleValueDecodingContainer {
    private let decoder: DocumentValueDecoder

    init(_ decoder: DocumentValueDecoder) { self.decoder = decoder }

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.unbox(type) }
}
