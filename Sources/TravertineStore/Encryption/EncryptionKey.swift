import Ciphers
import SegmentLog

/// The key of an encrypted store.
///
/// It is never printed, logged or put into an error. With it a store can be read, and changed
/// unnoticed; without it nobody can read it again.
public struct EncryptionKey: Sendable {
    /// The bytes that a key has, as keys of Realm do.
    public static let byteCount = 64

    let cipher: any StoreCipher

    /// A key of 64 random bytes, as those of `SystemRandomNumberGenerator`, which the caller keeps.
    /// Keys for each purpose are derived from all of them (HKDF-SHA256, RFC 5869).
    ///
    /// A password is no key: derive one from it, with a function that is made for passwords.
    ///
    /// - Throws: `.misuse` unless there are 64 bytes, and where the library was built without
    ///   encryption (the trait `Encryption` of the package; not needed on Apple systems).
    public init(_ bytes: some Sequence<UInt8>) throws(StoreError) {
        var bytes = Array(bytes)
        defer {
            for index in bytes.indices { bytes[index] = 0 }
        }
        guard bytes.count == Self.byteCount else {
            throw StoreError(
                .misuse,
                "An encryption key has \(Self.byteCount) bytes; this one has "
                    + "\(bytes.count).")
        }
        cipher = try Self.makeCipher(bytes)
    }

    /// A key for a cipher that the caller has.
    package init(cipher: any StoreCipher) { self.cipher = cipher }

    /// The bytes of a new key.
    public static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func makeCipher(_ bytes: [UInt8]) throws(StoreError) -> any StoreCipher {
        #if Encryption || canImport(CryptoKit)
            if let cipher = bytes.withUnsafeBytes({ LibraryCipher(key: $0) }) { return cipher }
        #endif
        throw StoreError(
            .misuse,
            "Travertine was built without encryption. Depend on it with the trait: .package(…, "
                + "traits: [\"Encryption\"]).")
    }
}

extension EncryptionKey: Equatable {
    private static let comparison = Array("travertine comparison".utf8)

    /// Whether two keys are the same, by bytes that are derived from them.
    public static func == (left: EncryptionKey, right: EncryptionKey) -> Bool {
        left.cipher.check(for: comparison) == right.cipher.check(for: comparison)
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that it is a key, and not which.
    public var description: String { "an encryption key" }
    /// The same.
    public var debugDescription: String { description }
    /// Shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
