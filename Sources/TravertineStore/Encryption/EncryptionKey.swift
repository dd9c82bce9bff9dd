import SegmentLog

/// The key of an encrypted store.
///
/// It is never printed, logged or put into an error.
public struct EncryptionKey: Sendable {
    /// The bytes that a key has.
    public static let byteCount = 64

    let cipher: any StoreCipher

    /// A key for a cipher that the caller has.
    package init(cipher: any StoreCipher) { self.cipher = cipher }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that it is a key, and not which.
    public var description: String { "an encryption key" }
    /// The same.
    public var debugDescription: String { description }
    /// Shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
