import Travertine

/// Documents go through other encoders in the shape of Extended JSON: what JSON has too as it is,
/// the rest as the canonical objects. The width of integers follows from their size when they are
/// read again, and formats without floating-point zeros may give back 1 for 1.0.
extension AnyBSON: Codable {
    /// Decodes a value of any shape; objects of Extended JSON become the values that they
    /// represent.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: DocumentKey.self) {
            self = try Self.value(container, decoder)
        } else if var container = try? decoder.unkeyedContainer() {
            var values: [AnyBSON] = []
            while !container.isAtEnd { values.append(try container.decode(AnyBSON.self)) }
            self = .array(values)
        } else {
            self = try Self.single(try decoder.singleValueContainer())
        }
    }

    private static func value(
        _ container: KeyedDecodingContainer<DocumentKey>, _ decoder: any Decoder
    ) throws -> AnyBSON {
        var document = Document()
        for key in container.allKeys {
            document.append(try container.decode(AnyBSON.self, forKey: key), forKey: key.name)
        }
        guard container.allKeys.contains(where: { ExtendedJSONWrapper.isName($0.name) })
        else { return .document(document) }
        switch ExtendedJSONWrapper.value(document) {
        case .success(let value): return value
        case .failure(let problem):
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: problem.reason))
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> AnyBSON {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .bool(flag) }
        if let number = try? container.decode(Int64.self) {
            return Int32(exactly: number).map { .int32($0) } ?? .int64(number)
        }
        if let number = try? container.decode(Double.self) { return .double(number) }
        return .string(try container.decode(String.self))
    }

    /// Encodes the value in the shape of Extended JSON.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .document(let document): return try document.encode(to: encoder)
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for value in array { try container.encode(value) }
            return
        default: break
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .int32(let number): try container.encode(number)
        case .int64(let number): try container.encode(number)
        case .double(let number) where number.isFinite: try container.encode(number)
        case .string(let text): try container.encode(text)
        default: try container.encode(try JSONNode(try extendedJSON(.canonical)).constant)
        }
    }
}

extension Document: Codable {
    /// Decodes names and values, in the order in which the decoder has them.
    public init(from decoder: any Decoder) throws {
        guard case .document(let document) = try AnyBSON(from: decoder) else {
            throw DecodingError.typeMismatch(
                Document.self,
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "A document is an object."))
        }
        self = document
    }

    /// Encodes names and values in the shape of Extended JSON.
    ///
    /// - Throws: `EncodingError.invalidValue` for a document with a name such as "$date", which
    ///   would be decoded as a value of another type.
    public func encode(to encoder: any Encoder) throws {
        if let name = keys.first(where: { ExtendedJSONWrapper.isName($0) }) {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: ExtendedJSONWrapper.ambiguity(name)))
        }
        var container = encoder.container(keyedBy: DocumentKey.self)
        for element in self {
            try container.encode(element.value, forKey: DocumentKey(element.key))
        }
    }
}

extension JSONConstant: Encodable {
    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .object(let members):
            var container = encoder.container(keyedBy: DocumentKey.self)
            for member in members {
                try container.encode(member.value, forKey: DocumentKey(member.key))
            }
        case .null, .bool, .number, .string: try encodeSingle(to: encoder)
        }
    }

    private func encodeSingle(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let flag): try container.encode(flag)
        case .number(let text):
            if let integer = Int64(text) {
                try container.encode(integer)
            } else {
                try container.encode(Double(text) ?? .nan)
            }
        case .string(let text): try container.encode(text)
        default: try container.encodeNil()
        }
    }
}

/// A name in a document as a coding key.
struct DocumentKey: CodingKey {
    let name: String

    init(_ name: String) { self.name = name }

    init?(stringValue: String) { name = stringValue }

    init?(intValue: Int) { name = String(intValue) }

    var stringValue: String { name }

    var intValue: Int? { Int(name) }
}
