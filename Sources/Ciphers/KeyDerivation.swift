#if Encryption || canImport(CryptoKit)
    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif

    /// HKDF with SHA-256 (RFC 5869): independent keys from one.
    ///
    /// A `SymmetricKey` clears its bytes when its last copy is released. What the compiler keeps in
    /// registers and on the stack while it computes one is out of reach.
    package struct KeyDerivation: Sendable {
        private let pseudorandomKey: SymmetricKey

        /// Extracts from the bytes of a key, which stay the caller's to clear.
        package init(from material: UnsafeRawBufferPointer, salt: [UInt8] = []) {
            pseudorandomKey = SymmetricKey(
                data: HKDF<SHA256>.extract(
                    inputKeyMaterial: SymmetricKey(data: material), salt: salt))
        }

        /// The key that belongs to `info`.
        func key(for info: [UInt8], byteCount: Int) -> SymmetricKey {
            HKDF<SHA256>.expand(
                pseudoRandomKey: pseudorandomKey, info: info, outputByteCount: byteCount)
        }

        /// The bytes of that key, where they are no secret.
        package func bytes(for info: [UInt8], byteCount: Int) -> [UInt8] {
            key(for: info, byteCount: byteCount).withUnsafeBytes { [UInt8]($0) }
        }
    }

    extension KeyDerivation: CustomReflectable {
        /// Shows nothing of the key.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
