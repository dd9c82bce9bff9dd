#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Objects as JSON, with the names of their fields in order.
enum ObjectCoding {
    /// The largest object of JSON that is read.
    static let byteCountMax = 64 << 20

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Decodes an object. Throws `ShippingError.damaged`.
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], key: String
    ) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw ShippingError.damaged(key: key, "it is not what it should be (\(error))")
        }
    }

    /// Decodes a manifest. Throws `ShippingError.notABackup`, `.newerFormat` and `.damaged`.
    static func manifest(_ bytes: [UInt8]) throws -> ShippingManifest {
        struct Head: Decodable {
            var format: String
            var version: Int
        }
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(bytes)),
            head.format == ShippingManifest.formatName
        else { throw ShippingError.notABackup }
        guard head.version <= ShippingManifest.newestVersion else {
            throw ShippingError.newerFormat(version: head.version)
        }
        return try decode(ShippingManifest.self, bytes, key: ObjectName.manifest)
    }
}
