#if Encryption || canImport(CryptoKit)
    import Ciphers
    import SegmentLog
    import Testing

    @Suite("Published test vectors")
    struct PublishedVectorTests {
        private static func derived(
            material: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
        ) -> [UInt8] {
            material.withUnsafeBytes { KeyDerivation(from: $0, salt: salt) }
                .bytes(for: info, byteCount: byteCount)
        }

        /// Seals and opens, and compares with what is published.
        private static func check(
            _ key: (any SealingKey)?, nonce: String, header: String, plain: [UInt8],
            ciphertext: String, tag: String
        ) throws {
            let key = try #require(key)
            let message = try #require(
                SealedMessage(
                    sealing: plain, key: key, nonce: SealNonce(bytes: bytes(nonce)),
                    header: bytes(header)))
            #expect(message.ciphertext == bytes(ciphertext))
            #expect(message.tag == bytes(tag))
            #expect(message.open(with: key) == .opened(plain))
        }

        private static func aesKey(_ key: String) -> (any SealingKey)? {
            bytes(key).withUnsafeBytes { LibraryKey<AES256GCM>(bytes: $0) }
        }

        @Test("HKDF-SHA256 with a salt, RFC 5869, cases 1 and 2")
        func derivationWithSalt() {
            #expect(
                Self.derived(
                    material: [UInt8](repeating: 0x0b, count: 22), salt: [UInt8](0...0x0c),
                    info: [UInt8](0xf0...0xf9), byteCount: 42)
                    == bytes(
                        """
                        3cb25f25 faacd57a 90434f64 d0362f2a 2d2d0a90 cf1a5a4c 5db02d56 ecc4c5bf
                        34007208 d5b88718 5865
                        """))
            #expect(
                Self.derived(
                    material: [UInt8](0...0x4f), salt: [UInt8](0x60...0xaf),
                    info: [UInt8](0xb0...0xff), byteCount: 82)
                    == bytes(
                        """
                        b11e398d c80327a1 c8e7f78c 596a4934 4f012eda 2d4efad8 a050cc4c 19afa97c
                        59045a99 cac78272 71cb41c6 5e590e09 da327560 0c2f09b8 367793a9 aca3db71
                        cc30c581 79ec3e87 c14c01d5 c1f3434f 1d87
                        """))
        }

        @Test("HKDF-SHA256 without salt and info, RFC 5869, case 3")
        func derivationWithoutSalt() {
            #expect(
                Self.derived(
                    material: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
                    byteCount: 42)
                    == bytes(
                        """
                        8da4e775 a563c18f 715f802a 063c5a31 b8a11f5c 5ee1879e c3454e5f 3c738d2d
                        9d201395 faa4b61a 96c8
                        """))
        }

        @Test("AES-256-GCM, McGrew and Viega, cases 13 and 14: no bytes, and one block")
        func shortAES() throws {
            let key = Self.aesKey(String(repeating: "0", count: 64))
            let nonce = String(repeating: "0", count: 24)
            try Self.check(
                key, nonce: nonce, header: "", plain: [], ciphertext: "",
                tag: "530f8afb c74536b9 a963b4f1 c4cb738b")
            try Self.check(
                key, nonce: nonce, header: "", plain: [UInt8](repeating: 0, count: 16),
                ciphertext: "cea7403d 4d606b6e 074ec5d3 baf39d18",
                tag: "d0d1c8a7 99996bf0 265b98b5 d48ab919")
        }

        @Test("AES-256-GCM, McGrew and Viega, case 16: a header, and part of a block")
        func longAES() throws {
            try Self.check(
                Self.aesKey(
                    """
                    feffe992 8665731c 6d6a8f94 67308308
                    feffe992 8665731c 6d6a8f94 67308308
                    """),
                nonce: "cafebabe facedbad decaf888",
                header: "feedface deadbeef feedface deadbeef abaddad2",
                plain: bytes(
                    """
                    d9313225 f88406e5 a55909c5 aff5269a 86a7a953 1534f7da 2e4c303d 8a318a72
                    1c3c0c95 95680953 2fcf0e24 49a6b525 b16aedf5 aa0de657 ba637b39
                    """),
                ciphertext:
                    """
                    522dc1f0 99567d07 f47f37a3 2a84427d 643a8cdc bfe5c0c9 7598a2bd 2555d1aa
                    8cb08e48 590dbb3d a7b08b10 56828838 c5f61e63 93ba7a0a bcc9f662
                    """,
                tag: "76fc6ece 0f4e1768 cddf8853 bb2d551b")
        }

        @Test("ChaCha20-Poly1305, RFC 8439, section 2.8.2")
        func chaCha() throws {
            let plain = """
                Ladies and Gentlemen of the class of '99: If I could offer you only one tip for \
                the future, sunscreen would be it.
                """
            try Self.check(
                [UInt8](0x80...0x9f).withUnsafeBytes { LibraryKey<ChaCha20Poly1305>(bytes: $0) },
                nonce: "07000000 40414243 44454647", header: "50515253 c0c1c2c3 c4c5c6c7",
                plain: [UInt8](plain.utf8),
                ciphertext:
                    """
                    d31a8d34 648e60db 7b86afbc 53ef7ec2 a4aded51 296e08fe a9e2b5a7 36ee62d6
                    3dbea45e 8ca96712 82fafb69 da92728b 1a71de0a 9e060b29 05d6a5b6 7ecd3b36
                    92ddbd7f 2d778b8c 9803aee3 28091b58 fab324e4 fad67594 5585808b 4831d7bc
                    3ff4def0 8e4b7a9d e576d265 86cec64b 6116
                    """,
                tag: "1ae10b59 4f09e26a 7e902ecb d0600691")
        }

        @Test("a key that does not have 32 bytes is none", arguments: [0, 16, 31, 33, 64])
        func keyLength(count: Int) {
            let key = [UInt8](repeating: 1, count: count)
            key.withUnsafeBytes { key in
                #expect(LibraryKey<AES256GCM>(bytes: key) == nil)
                #expect(LibraryKey<ChaCha20Poly1305>(bytes: key) == nil)
            }
        }
    }
#endif
