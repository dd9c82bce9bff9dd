#if Encryption || canImport(CryptoKit)
    import SegmentLog

    #if canImport(CryptoKit)
        import CryptoKit
    #else
        import Crypto
    #endif

    /// A key of one of the library's ciphers.
    package struct LibraryKey<Cipher: AuthenticatedCipher>: SealingKey {
        private let key: SymmetricKey

        init(_ key: SymmetricKey) {
            self.key = key
        }

        /// A key from its 32 bytes, which stay the caller's to clear; nil if there are not as many.
        package init?(bytes: UnsafeRawBufferPointer) {
            guard bytes.count == LibraryCipher.derivedKeyByteCount else { return nil }
            self.init(SymmetricKey(data: bytes))
        }

        package func seal(
            _ plain: UnsafeRawBufferPointer, nonce: SealNonce,
            authenticating header: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer,
            tag: UnsafeMutableRawPointer
        ) {
            let layout = SealedLayout(plainByteCount: plain.count)
            do {
                let combined = try nonce.withBytes { nonce in
                    try Cipher.seal(plain, key: key, nonce: nonce, header: header)
                }
                combined.withUnsafeBytes { layout.split($0, into: target, tag: tag) }
            } catch {
                // It refuses no key and no length that a log has. To go on could write plain bytes.
                fatalError("the cipher did not encrypt: \(error)")
            }
        }

        package func open(
            _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: SealNonce,
            authenticating header: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer
        ) -> Bool {
            let layout = SealedLayout(plainByteCount: sealed.count)
            // The library copies it once more, which is cheaper than to let it join three parts.
            let opened = withUnsafeTemporaryAllocation(
                byteCount: layout.byteCount, alignment: MemoryLayout<UInt64>.alignment
            ) { combined in
                layout.join(nonce, sealed, tag: tag, into: combined)
                return try? Cipher.open(
                    UnsafeRawBufferPointer(combined), key: key, header: header)
            }
            guard var opened, opened.count == sealed.count else { return false }
            opened.withUnsafeMutableBytes { plain in
                guard let start = plain.baseAddress else { return }
                target.copyMemory(from: start, byteCount: plain.count)
                // Where it is freed, nothing of it stays.
                plain.initializeMemory(as: UInt8.self, repeating: 0)
            }
            return true
        }
    }

    extension LibraryKey: CustomReflectable {
        /// Shows nothing of the key.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
