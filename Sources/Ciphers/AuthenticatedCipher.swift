#if Encryption || canImport(CryptoKit)
    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A cipher of the library, on the layout that it has for all of them: nonce, ciphertext, tag.
    package protocol AuthenticatedCipher {
        /// Encrypts; the nonce has 12 bytes.
        static func seal(
            _ plain: UnsafeRawBufferPointer, key: SymmetricKey, nonce: UnsafeRawBufferPointer,
            header: UnsafeRawBufferPointer
        ) throws -> Data
        /// Decrypts; fails if the bytes are not authentic.
        static func open(
            _ combined: UnsafeRawBufferPointer, key: SymmetricKey, header: UnsafeRawBufferPointer
        ) throws -> Data
    }

    package enum AES256GCM: AuthenticatedCipher {
        package static func seal(
            _ plain: UnsafeRawBufferPointer, key: SymmetricKey, nonce: UnsafeRawBufferPointer,
            header: UnsafeRawBufferPointer
        ) throws -> Data {
            let box = try AES.GCM.seal(
                plain, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: header)
            // Nil for nonces of other lengths only.
            guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return combined
        }

        package static func open(
            _ combined: UnsafeRawBufferPointer, key: SymmetricKey, header: UnsafeRawBufferPointer
        ) throws -> Data {
            try AES.GCM.open(
                AES.GCM.SealedBox(combined: combined), using: key, authenticating: header)
        }
    }

    package enum ChaCha20Poly1305: AuthenticatedCipher {
        package static func seal(
            _ plain: UnsafeRawBufferPointer, key: SymmetricKey, nonce: UnsafeRawBufferPointer,
            header: UnsafeRawBufferPointer
        ) throws -> Data {
            let nonce = try ChaChaPoly.Nonce(data: nonce)
            return try ChaChaPoly.seal(plain, using: key, nonce: nonce, authenticating: header)
                .combined
        }

        package static func open(
            _ combined: UnsafeRawBufferPointer, key: SymmetricKey, header: UnsafeRawBufferPointer
        ) throws -> Data {
            try ChaChaPoly.open(
                ChaChaPoly.SealedBox(combined: combined), using: key, authenticating: header)
        }
    }
#endif
