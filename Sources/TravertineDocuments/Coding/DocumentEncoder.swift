import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes documents of `Encodable` values.
///
/// Identifiers, dates, UUIDs, data, decimals, `AnyBSON` and `Document` keep their types; integers
/// become `int32` if they fit, else `int64`; unsigned ones beyond that are an error, and so is a
/// `Decimal` of more than 34 digits. What is nil and encoded as nil becomes null; what synthesised
/// coding leaves out is left out.
public struct DocumentEncoder: Sendable {
    /// What `encode(to:)` of the values finds under `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// An encoder without user info.
    public init() {}

    /// The document that a value encodes to.
    ///
    /// - Throws: `EncodingError.invalidValue` if the value encodes to something else than names and
    ///   values, or has an integer beyond 64 bits with sign or a decimal beyond 34 digits; and what
    ///   the value's coding throws.
    public func encode(_ value: some Encodable) throws -> Document {
        guard case .document(let document) = try encodeValue(value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "A document has names and values."))
        }
        return document
    }

    /// The value of a document that a value encodes to.
    ///
    /// - Throws: as `encode(_:)`, single values and arrays being allowed.
    public func encodeValue(_ value: some Encodable) throws -> AnyBSON {
        try DocumentValueEncoder(codingPath: [], userInfo: userInfo).box(value)
    }
}

/// The encoder of one value.
private final class DocumentValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    /// Where the value is made: its own, or a place in the value around it.
    let result: PartialValue

    init(
        codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any],
        into result: PartialValue = PartialValue()
    ) {
        self.codingPath = codingPath
        self.userInfo = userInfo
        self.result = result
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedDocument<Key>(self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedValues(self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValue(encoder: self) }

    func below(
        _ key: any CodingKey, into result: PartialValue = PartialValue()
    ) -> DocumentValueEncoder {
        DocumentValueEncoder(codingPath: codingPath + [key], userInfo: userInfo, into: result)
    }

    /// The value as documents have it, or what it encodes to.
    func box(_ value: some Encodable) throws -> AnyBSON {
        switch value {
        case let value as String: return .string(value)
        case let value as Bool: return .bool(value)
        case let value as Double: return .double(value)
        case let value as Float: return .double(Double(value))
        case let value as any BinaryInteger: return try box(integer: value)
        case let value as AnyBSON: return value
        case let value as Document: return .document(value)
        case let value as ObjectId: return .objectId(value)
        case let value as Decimal128: return .decimal128(value)
        case let value as Date: return .datetime(value)
        case let value as UUID: return .uuid(value)
        case let value as Data: return .binary(value)
        case let value as Decimal: return try box(decimal: value)
        default:
            let encoder = DocumentValueEncoder(codingPath: codingPath, userInfo: userInfo)
            try value.encode(to: encoder)
            return encoder.result.value
        }
    }

    private func box(decimal: Decimal) throws -> AnyBSON {
        let number = Decimal128(decimal)
        guard decimal.isNaN || number.decimalValue == decimal else {
            throw EncodingError.invalidValue(
                decimal,
                EncodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "Documents have decimals of 34 digits; \(decimal) has more."))
        }
        return .decimal128(number)
    }

    private func box(integer: some BinaryInteger) throws -> AnyBSON {
        guard let number = Int64(exactly: integer) else {
            throw EncodingError.invalidValue(
                integer,
                EncodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "Documents have integers of 64 bits with sign."))
        }
        return Int32(exactly: number).map { .int32($0) } ?? .int64(number)
    }
}

/// A value under construction; nested containers hold on to it.
private final class PartialValue {
    private enum Content {
        case nothing
        case value(AnyBSON)
        case names([(String, PartialValue)])
        case elements([PartialValue])
    }

    private var content = Content.nothing

    /// The finished value; what encoded nothing is an empty document.
    var value: AnyBSON {
        switch content {
        case .nothing: .document(Document())
        case .value(let value): value
        case .names(let names): .document(Document(names.map { ($0, $1.value) }))
        case .elements(let elements): .array(elements.map(\.value))
        }
    }

    func set(_ value: AnyBSON) { content = .value(value) }

    func beginNames() {
        if case .nothing = content { content = .names([]) }
    }

    func beginElements() {
        if case .nothing = content { content = .elements([]) }
    }

    /// A new value under a name, in the place of an older one.
    func value(forKey key: String) -> PartialValue {
        guard case .names(var names) = content else { return PartialValue() }
        content = .nothing
        let value = PartialValue()
        if let index = names.firstIndex(where: { $0.0.isName(key) }) {
            names[index].1 = value
        } else {
            names.append((key, value))
        }
        content = .names(names)
        return value
    }

    /// A new value at the end.
    func nextElement() -> PartialValue {
        guard case .elements(var elements) = content else { return PartialValue() }
        content = .nothing
        let value = PartialValue()
        elements.append(value)
        content = .elements(elements)
        return value
    }

    var elementCount: Int {
        if case .elements(let elements) = content { return elements.count }
        return 0
    }
}

private struct KeyedDocument<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: DocumentValueEncoder

    init(_ encoder: DocumentValueEncoder) {
        self.encoder = encoder
        encoder.result.beginNames()
    }

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.result.value(forKey: key.stringValue).set(.null) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        let boxed = try encoder.below(key).box(value)
        encoder.result.value(forKey: key.stringValue).set(boxed)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        inner(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        inner(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { inner(DocumentKey("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { inner(key) }

    /// The encoder of a value under a name.
    private func inner(_ key: any CodingKey) -> DocumentValueEncoder {
        encoder.below(key, into: encoder.result.value(forKey: key.stringValue))
    }
}

private struct UnkeyedValues: UnkeyedEncodingContainer {
    private let encoder: DocumentValueEncoder

    init(_ encoder: DocumentValueEncoder) {
        self.encoder = encoder
        encoder.result.beginElements()
    }

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.result.elementCount }

    private var nextKey: DocumentKey { DocumentKey(String(count)) }

    func encodeNil() { encoder.result.nextElement().set(.null) }

    func encode(_ value: some Encodable) throws {
        let boxed = try encoder.below(nextKey).box(value)
        encoder.result.nextElement().set(boxed)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        nextEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nextEncoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nextEncoder() }

    /// The encoder of a new element.
    private func nextEncoder() -> DocumentValueEncoder {
        let key = nextKey
        return encoder.below(key, into: encoder.result.nextElement())
    }
}

private struct SingleValue: SingleValueEncodingContainer {
    let encoder: DocumentValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.result.set(.null) }

    func encode(_ value: some Encodable) throws { encoder.result.set(try encoder.box(value)) }
}
