/// The key of an encrypted store, and the algorithm that it is used with: makes the keys that seal
/// its files.
///
/// The engine knows ciphers only through this protocol. What it needs of one: authenticated
/// encryption with a tag of 16 bytes and a nonce of 12, and keys that are derived one from another
/// so that none says anything of the others.
package protocol StoreCipher: Sendable {
    /// The algorithm of new files, by the number that they carry: 1 is AES-256-GCM, 2 is
    /// ChaCha20-Poly1305.
    var algorithm: UInt32 { get }

    /// The key for one purpose, derived from the store's key (HKDF-SHA256 with `info`), for an
    /// algorithm; nil if that is none that is known here.
    func key(for info: [UInt8], algorithm: UInt32) -> (any SealingKey)?

    /// 16 bytes that are derived in the same way, to recognise the store's key by. They are written
    /// in the clear.
    func check(for info: [UInt8]) -> [UInt8]
}

/// A key that seals pieces of one file. Any thread.
package protocol SealingKey: Sendable {
    /// Encrypts `plain` into as many bytes at `target`, which may be the same, and writes the 16
    /// bytes of the tag. `header` is authenticated and not encrypted.
    ///
    /// No nonce is used twice with one key: the caller sees to that (X2).
    func seal(
        _ plain: UnsafeRawBufferPointer, nonce: SealNonce,
        authenticating header: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer,
        tag: UnsafeMutableRawPointer)

    /// Decrypts `sealed` into as many bytes at `target`, which may be the same; false, and nothing
    /// written, if it is not what was sealed with this nonce and header.
    func open(
        _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: SealNonce,
        authenticating header: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer
    ) -> Bool
}

/// The 12 bytes of a nonce, little-endian, in this order.
package struct SealNonce: Hashable, Sendable {
    /// Where the sealed bytes are: the offset in a segment, the number of a block in other files.
    package var position: UInt32
    /// Which writing of that place it is: the activation of a segment, 0 in files that are written
    /// once.
    package var number: UInt64

    package init(position: UInt32, number: UInt64) {
        self.position = position
        self.number = number
    }
}
