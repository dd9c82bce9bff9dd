#if Encryption || canImport(CryptoKit)
    import SegmentLog

    /// The encryption of a store by CryptoKit, or by swift-crypto where there is no CryptoKit.
    package struct LibraryCipher: StoreCipher {
        /// The bytes of a store's key.
        package static let keyByteCount = 64
        /// The bytes of a key for one purpose, for either algorithm.
        package static let derivedKeyByteCount = 32
        package static let checkByteCount = 16

        private let kind: CipherAlgorithm
        private let derivation: KeyDerivation

        package var algorithm: UInt32 { kind.rawValue }

        /// A cipher whose new files have the algorithm; nil for a key that does not have 64 bytes.
        /// The bytes stay the caller's to clear.
        package init?(key: UnsafeRawBufferPointer, algorithm kind: CipherAlgorithm = .preferred) {
            guard key.count == Self.keyByteCount else { return nil }
            self.kind = kind
            derivation = KeyDerivation(from: key)
        }

        package func key(for info: [UInt8], algorithm: UInt32) -> (any SealingKey)? {
            guard let kind = CipherAlgorithm(rawValue: algorithm) else { return nil }
            let key = derivation.key(
                for: Purpose.key.prefixed(to: info), byteCount: Self.derivedKeyByteCount)
            switch kind {
            case .aes256GCM: return LibraryKey<AES256GCM>(key)
            case .chaCha20Poly1305: return LibraryKey<ChaCha20Poly1305>(key)
            }
        }

        package func check(for info: [UInt8]) -> [UInt8] {
            derivation.bytes(
                for: Purpose.check.prefixed(to: info), byteCount: Self.checkByteCount)
        }
    }

    /// What derived bytes are for. No name is the beginning of another, so the infos of two
    /// purposes are never equal.
    private enum Purpose: String {
        case key, check

        func prefixed(to info: [UInt8]) -> [UInt8] { [UInt8](rawValue.utf8) + info }
    }

    extension LibraryCipher: CustomReflectable {
        /// Shows nothing of the key.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
