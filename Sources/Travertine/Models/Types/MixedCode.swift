#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The stored form of a value of any type: a tag byte and what it announces; no bytes for none.
///
/// The tag is the number of the property type plus 1; 32 announces a list and 33 a dictionary,
/// which are separate collections (`Nesting`) that the value names by number.
enum MixedCode {
    /// What a value holds beside plain data.
    enum Reference {
        case object(type: UInt32, key: UInt64)
        case collection(CollectionKind, number: UInt32)
    }

    static let listTag: UInt8 = 32
    static let dictionaryTag: UInt8 = 33
    static let depthMax = 100

    static func tag(_ type: PropertyType) -> UInt8 { UInt8(type.rawValue) + 1 }

    // MARK: Encoding

    /// The bytes of a value without links and collections; nil for another.
    static func encode(plain value: AnyRealmValue) -> [UInt8]? {
        switch value {
        case .none: []
        case .int(let value): encode(value)
        case .bool(let value): encode(value)
        case .float(let value): encode(value)
        case .double(let value): encode(value)
        case .string(let value): encode(value)
        case .data(let value): encode(value)
        case .date(let value): encode(value)
        case .objectId(let value): encode(value)
        case .decimal128(let value): encode(value)
        case .uuid(let value): encode(value)
        case .object, .list, .dictionary: nil
        }
    }

    private static func encode<Value: _Scalar>(_ value: Value) -> [UInt8] {
        value._withRaw { raw in
            var bytes = [tag(Value._propertyType)]
            switch raw {
            case .null: return []
            case .word(let word):
                withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
            case .bytes(let value): bytes.append(contentsOf: value)
            }
            return bytes
        }
    }

    static func encode(objectOfType type: UInt32, key: UInt64) -> [UInt8] {
        [tag(.object)] + withUnsafeBytes(of: type.littleEndian, Array.init)
            + withUnsafeBytes(of: key.littleEndian, Array.init)
    }

    static func encode(_ kind: CollectionKind, number: UInt32) -> [UInt8] {
        [kind == .list ? listTag : dictionaryTag]
            + withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    // MARK: Decoding

    /// The link or collection that a stored value names, if it does.
    static func reference(in bytes: UnsafeRawBufferPointer) -> Reference? {
        guard let tag = bytes.first else { return nil }
        if tag == self.tag(.object), bytes.count == 13 {
            let type = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
            let key = bytes.loadUnaligned(fromByteOffset: 5, as: UInt64.self)
            return .object(type: UInt32(littleEndian: type), key: UInt64(littleEndian: key))
        }
        guard tag == listTag || tag == dictionaryTag, bytes.count == 5 else { return nil }
        let number = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
        return .collection(
            tag == listTag ? .list : .map, number: UInt32(littleEndian: number))
    }

    /// The value of stored bytes in a property or collection; none for bytes that are no value.
    static func decode(_ bytes: UnsafeRawBufferPointer, at storage: CollectionStorage)
        -> AnyRealmValue
    {
        switch reference(in: bytes) {
        case .object(let type, let key):
            guard let table = storage.session.table(number: type),
                let object = storage.session.object(key, in: table) as? Object
            else { return .none }
            return .object(object)
        case .collection(.list, let number):
            let list = List<AnyRealmValue>()
            list.bind(CollectionAnchor(storage.nested(.list, number)))
            return .list(list)
        case .collection(_, let number):
            let map = Map<String, AnyRealmValue>()
            map.bind(CollectionAnchor(storage.nested(.map, number)))
            return .dictionary(map)
        case nil: return AnyRealmValue(mixed: bytes) ?? .none
        }
    }
}
