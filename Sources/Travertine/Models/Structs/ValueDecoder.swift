/// Decodes a struct from an object, or a part of one from a value in it.
struct ValueDecoder: Decoder {
    /// An object, a collection, or a single value; nil for null.
    let source: Any?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch source {
        case let object as ObjectBase:
            return KeyedDecodingContainer(
                DecodedEntries(names: .object(object), codingPath: codingPath))
        case let collection as any UntypedCollection:
            guard case .entries(let entries) = collection.contents else { break }
            return KeyedDecodingContainer(
                DecodedEntries(
                    names: .entries(Dictionary(entries, uniquingKeysWith: { $1 })),
                    codingPath: codingPath))
        default: break
        }
        throw mismatch("an object or a map")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let collection = source as? any UntypedCollection,
            case .values(let values) = collection.contents
        else { throw mismatch("a list or a set") }
        return DecodedElements(values: values, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        DecodedSingle(source: source, codingPath: codingPath)
    }

    private func mismatch(_ wanted: String) -> DecodingError {
        .typeMismatch(
            ObjectBase.self,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription:
                    "There is \(source.map { "a \(type(of: $0))" } ?? "nil"), not \(wanted)."))
    }

    /// A value of a property or an element as a type.
    static func value<Value: Decodable>(
        _ source: Any?, as type: Value.Type, _ codingPath: [any CodingKey]
    ) throws -> Value {
        var source = source.flatMap { isNone($0) ? nil : $0 }
        if let value = source as? Value { return value }
        // An element of a list or dictionary in a value of any type.
        if let mixed = source as? AnyRealmValue { source = mixed.plain }
        let element = (type as? any _SingleValue.Type).flatMap { $0._hasEmbeddedForm ? nil : $0 }
        let isSingle = element != nil || type is any FixedWidthInteger.Type
        guard isSingle else {
            if codingPath.count > CodingDepth.greatest {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: codingPath, debugDescription: CodingDepth.problem))
            }
            return try Value(from: ValueDecoder(source: source, codingPath: codingPath))
        }
        let context = { (text: String) in
            DecodingError.Context(codingPath: codingPath, debugDescription: text)
        }
        guard let source else {
            throw DecodingError.valueNotFound(
                type, context("The property is nil: make it optional in the struct."))
        }
        if let value = source as? Value { return value }
        if let made = element?._makeElement(from: source) as? Value { return made }
        if let integer = type as? any FixedWidthInteger.Type,
            let word = source as? any BinaryInteger, let made = exactly(integer, word) as? Value
        {
            return made
        }
        throw DecodingError.typeMismatch(
            type, context("There is \(ValueText.withType(source))."))
    }

    private static func exactly<Integer: FixedWidthInteger>(
        _ type: Integer.Type, _ word: any BinaryInteger
    ) -> Any? {
        Integer(exactly: word)
    }
}

private struct DecodedSingle: SingleValueDecodingContainer {
    let source: Any?
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { source == nil }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try ValueDecoder.value(source, as: type, codingPath)
    }
}

private struct DecodedElements: UnkeyedDecodingContainer {
    let values: [Any]
    let codingPath: [any CodingKey]
    var currentIndex = 0
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    init(values: [Any], codingPath: [any CodingKey]) {
        self.values = values
        self.codingPath = codingPath
    }

    private mutating func next(_ type: Any.Type) throws -> Any {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "There is no element left."))
        }
        currentIndex += 1
        return values[currentIndex - 1]
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, isNone(values[currentIndex]) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try ValueDecoder.value(try next(type), as: type, codingPath)
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        ValueDecoder(source: try next(Any.self), codingPath: codingPath)
    }
}

private struct DecodedEntries<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// Where values are by name.
    enum Names {
        case object(ObjectBase)
        case entries([String: Any])
    }

    let names: Names
    let codingPath: [any CodingKey]

    var allKeys: [Key] {
        switch names {
        case .object(let object):
            object.objectSchema.properties.compactMap { Key(stringValue: $0.columnName) }
        case .entries(let entries): entries.keys.compactMap { Key(stringValue: $0) }
        }
    }

    func contains(_ key: Key) -> Bool {
        switch names {
        case .object(let object): object.hasProperty(key.stringValue)
        case .entries(let entries): entries[key.stringValue] != nil
        }
    }

    private func value(_ key: Key) throws -> Any? {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "There is no property '\(key.stringValue)'."))
        }
        let value: Any? =
            switch names {
            case .object(let object): object.storedValue(key.stringValue)
            case .entries(let entries): entries[key.stringValue]
            }
        return value.flatMap { isNone($0) ? nil : $0 }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == nil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try ValueDecoder.value(try value(key), as: type, codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        switch names {
        case .object(let object): ValueDecoder(source: object, codingPath: codingPath)
        case .entries(let entries):
            ValueDecoder(source: entries["super"], codingPath: codingPath)
        }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueDecoder(source: try value(key), codingPath: codingPath + [key])
    }
}

extension ObjectBase {
    /// The slot of a property by its stored name, else by its public one.
    private func storedSlot(_ name: String) -> Int? {
        if session == nil {
            return info.properties.firstIndex { $0.storedName == name } ?? info.slot(named: name)
        }
        return table.properties.firstIndex { $0.name == name } ?? table.slot(named: name)
    }

    fileprivate func hasProperty(_ name: String) -> Bool { storedSlot(name) != nil }

    /// What is stored of a property, or what an unmanaged object has.
    fileprivate func storedValue(_ name: String) -> Any? {
        guard let slot = storedSlot(name) else { return nil }
        if let session { return session.value(of: self, slot: slot) }
        let property = info.properties[slot]
        return property.valueType._any(self, property.offset)
    }
}
