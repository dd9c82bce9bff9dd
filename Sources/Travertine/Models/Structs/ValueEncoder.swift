#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value on its way from a struct into an object.
final class EncodedValue {
    private enum Form {
        case none
        case value(Any)
        case elements([EncodedValue])
        case entries([(name: String, value: EncodedValue)])
    }

    private var form = Form.none

    /// The value as objects are made of it; nil for none.
    var plain: Any? {
        switch form {
        case .none: nil
        case .value(let value): value
        case .elements(let elements): elements.map { $0.plain ?? Any?.none as Any }
        case .entries(let entries):
            Dictionary(
                entries.map { ($0.name, $0.value.plain ?? Any?.none as Any) },
                uniquingKeysWith: { $1 })
        }
    }

    var elementCount: Int {
        if case .elements(let elements) = form { return elements.count }
        return 0
    }

    func beginElements() { if case .elements = form {} else { form = .elements([]) } }

    func beginEntries() { if case .entries = form {} else { form = .entries([]) } }

    func append() -> EncodedValue {
        guard case .elements(var elements) = form else { return self }
        let output = EncodedValue()
        form = .none
        elements.append(output)
        form = .elements(elements)
        return output
    }

    func entry(_ name: String) -> EncodedValue {
        guard case .entries(var entries) = form else { return self }
        let output = EncodedValue()
        form = .none
        entries.append((name, output))
        form = .entries(entries)
        return output
    }

    /// Takes a value: what properties store as it is, or what it encodes itself as.
    func put<Value: Encodable>(_ value: Value, _ codingPath: [any CodingKey]) throws {
        switch value {
        case is Bool, is String, is Double, is Float, is Data, is Date, is UUID, is ObjectId,
            is Decimal128:
            form = .value(value)
        case let integer as any BinaryInteger:
            guard let word = Int64(exactly: integer) else {
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: codingPath,
                        debugDescription: "Integers are stored in 64 bits with sign."))
            }
            form = .value(word)
        case let custom as any FailableCustomPersistable where !type(of: custom)._hasEmbeddedForm:
            form = .value(custom.persistableValue)
        default:
            try value.encode(to: ValueEncoder(output: self, codingPath: codingPath))
        }
    }
}

/// Encodes a struct as values by name.
struct ValueEncoder: Encoder {
    let output: EncodedValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        output.beginEntries()
        return KeyedEncodingContainer(EncodedEntries(output: output, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        output.beginElements()
        return EncodedElements(output: output, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        EncodedSingle(output: output, codingPath: codingPath)
    }
}

private struct EncodedSingle: SingleValueEncodingContainer {
    let output: EncodedValue
    let codingPath: [any CodingKey]

    func encodeNil() {}

    func encode<Value: Encodable>(_ value: Value) throws { try output.put(value, codingPath) }
}

private struct EncodedElements: UnkeyedEncodingContainer {
    let output: EncodedValue
    let codingPath: [any CodingKey]
    var count: Int { output.elementCount }

    func encodeNil() { _ = output.append() }

    func encode<Value: Encodable>(_ value: Value) throws {
        try output.append().put(value, codingPath)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        superEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        superEncoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        ValueEncoder(output: output.append(), codingPath: codingPath)
    }
}

/// Values by name. A nil is written as one, so that updating an object makes its property nil.
private struct EncodedEntries<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: EncodedValue
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { _ = output.entry(key.stringValue) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try output.entry(key.stringValue).put(value, codingPath + [key])
    }

    private func put<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try put(value, key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        superEncoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(forKey: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        ValueEncoder(output: output.entry("super"), codingPath: codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(output: output.entry(key.stringValue), codingPath: codingPath + [key])
    }
}
