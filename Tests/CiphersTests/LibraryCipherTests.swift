#if Encryption || canImport(CryptoKit)
    import Ciphers
    import SegmentLog
    import Testing

    @Suite("The library's ciphers")
    struct LibraryCipherTests {
        private static let storeKey = [UInt8](0..<64)
        private static let info = [UInt8]("segment".utf8)
        private static let nonce = SealNonce(
            position: 0x0102_0304, number: 0x1112_1314_1516_1718)
        private static let header = [UInt8](0..<64)

        private static func cipher(
            _ algorithm: CipherAlgorithm, key: [UInt8] = storeKey
        ) throws -> LibraryCipher {
            try #require(
                key.withUnsafeBytes { LibraryCipher(key: $0, algorithm: algorithm) })
        }

        private static func key(_ algorithm: CipherAlgorithm) throws -> any SealingKey {
            try #require(cipher(algorithm).key(for: info, algorithm: algorithm.rawValue))
        }

        private static func plain(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        }

        private static func sealed(
            _ count: Int, with key: any SealingKey, header: [UInt8] = header
        ) throws -> SealedMessage {
            try #require(
                SealedMessage(sealing: plain(count), key: key, nonce: nonce, header: header))
        }

        // MARK: What files depend on

        // Computed by another implementation: Python's `hmac`, and `cryptography` on OpenSSL.
        @Test(
            "the tags of known messages stay the same",
            arguments: [
                (.aes256GCM, 0, "abc852e1ddd5902b72c90e089e103e5f"),
                (.aes256GCM, 1, "9bb52d45b2e5336d1d76811050747427"),
                (.aes256GCM, 100, "dd8bdd119dcac5096922de100a674314"),
                (.aes256GCM, 16384, "59e26d1312ead4268e3ddcb0755d39eb"),
                (.chaCha20Poly1305, 0, "ae598b2324672d1bc038944fbb8f5174"),
                (.chaCha20Poly1305, 1, "df1436ea7a88a0bc47f936a48579e452"),
                (.chaCha20Poly1305, 100, "9e457c03a4848b86f65d3bdb27fba52f"),
                (.chaCha20Poly1305, 16384, "4b68d93e9d753a4cc364f625633a600f"),
            ] as [(CipherAlgorithm, Int, String)])
        func knownTags(algorithm: CipherAlgorithm, count: Int, tag: String) throws {
            let key = try Self.key(algorithm)
            let message = try Self.sealed(count, with: key)
            #expect(message.tag == bytes(tag))
            #expect(message.open(with: key) == .opened(Self.plain(count)))
        }

        @Test("the check of a known key stays the same", arguments: CipherAlgorithm.allCases)
        func knownCheck(algorithm: CipherAlgorithm) throws {
            let cipher = try Self.cipher(algorithm)
            #expect(cipher.check(for: Self.info) == bytes("c6403dce85422d7e03d6b5078bed0891"))
            #expect(cipher.check(for: []) == bytes("f808d10b4d341f93e1bc92e78b24267f"))
        }

        @Test("the numbers of the algorithms stay the same")
        func numbers() throws {
            #expect(try Self.cipher(.aes256GCM).algorithm == 1)
            #expect(try Self.cipher(.chaCha20Poly1305).algorithm == 2)
        }

        // MARK: What is refused

        @Test("a flipped bit is refused", arguments: CipherAlgorithm.allCases, [0, 1, 16, 77])
        func flippedBits(algorithm: CipherAlgorithm, count: Int) throws {
            let key = try Self.key(algorithm)
            let message = try Self.sealed(count, with: key)
            func expectRefusal(_ changed: SealedMessage, _ place: String) {
                #expect(changed.open(with: key) == .refused, "\(place)")
            }
            for bit in 0..<count * 8 {
                var changed = message
                changed.ciphertext[bit / 8] ^= 1 << (bit % 8)
                expectRefusal(changed, "bit \(bit) of the ciphertext")
            }
            for bit in 0..<SealedMessage.tagByteCount * 8 {
                var changed = message
                changed.tag[bit / 8] ^= 1 << (bit % 8)
                expectRefusal(changed, "bit \(bit) of the tag")
            }
            for bit in 0..<Self.header.count * 8 {
                var changed = message
                changed.header[bit / 8] ^= 1 << (bit % 8)
                expectRefusal(changed, "bit \(bit) of the header")
            }
            for bit in 0..<UInt32.bitWidth {
                var changed = message
                changed.nonce.position ^= 1 << bit
                expectRefusal(changed, "bit \(bit) of the nonce's position")
            }
            for bit in 0..<UInt64.bitWidth {
                var changed = message
                changed.nonce.number ^= 1 << bit
                expectRefusal(changed, "bit \(bit) of the nonce's number")
            }
            #expect(message.open(with: key) == .opened(Self.plain(count)))
        }

        @Test("other lengths are refused", arguments: CipherAlgorithm.allCases)
        func otherLengths(algorithm: CipherAlgorithm) throws {
            let key = try Self.key(algorithm)
            let message = try Self.sealed(40, with: key)
            for count in 0..<40 {
                var shorter = message
                shorter.ciphertext.removeLast(40 - count)
                #expect(shorter.open(with: key) == .refused, "\(count) bytes")
            }
            var longer = message
            longer.ciphertext.append(0)
            #expect(longer.open(with: key) == .refused)
            var shorterHeader = message
            shorterHeader.header.removeLast()
            #expect(shorterHeader.open(with: key) == .refused)
            var longerHeader = message
            longerHeader.header.append(0)
            #expect(longerHeader.open(with: key) == .refused)
            // Bytes that move from the header to the ciphertext.
            var moved = message
            moved.ciphertext.insert(moved.header.removeLast(), at: 0)
            #expect(moved.open(with: key) == .refused)
        }

        @Test("what another key, purpose or algorithm sealed is refused")
        func otherKeys() throws {
            var otherStoreKey = Self.storeKey
            otherStoreKey[63] ^= 1
            var keys: [any SealingKey] = []
            for algorithm in CipherAlgorithm.allCases {
                for storeKey in [Self.storeKey, otherStoreKey] {
                    let cipher = try Self.cipher(algorithm, key: storeKey)
                    for info in [Self.info, Self.info + [0], [], [0]] {
                        let key = cipher.key(for: info, algorithm: algorithm.rawValue)
                        keys.append(try #require(key))
                    }
                }
            }
            for (sealer, sealing) in keys.enumerated() {
                let message = try Self.sealed(48, with: sealing)
                for (opener, opening) in keys.enumerated() {
                    let expected: SealedMessage.Outcome =
                        sealer == opener ? .opened(Self.plain(48)) : .refused
                    #expect(message.open(with: opening) == expected, "\(sealer), \(opener)")
                }
            }
        }

        @Test("a key that does not have 64 bytes makes no cipher, an unknown algorithm no key")
        func refusedKeys() throws {
            for count in [0, 16, 32, 63, 65, 128] {
                let key = [UInt8](repeating: 1, count: count)
                #expect(
                    key.withUnsafeBytes { LibraryCipher(key: $0, algorithm: .aes256GCM) } == nil)
            }
            for algorithm: UInt32 in [0, 3, 256, .max] {
                #expect(
                    try Self.cipher(.aes256GCM).key(for: Self.info, algorithm: algorithm) == nil)
            }
        }

        // MARK: What is derived

        @Test("the same key and info give the same key, which outlives its cipher")
        func sameKeys() throws {
            for algorithm in CipherAlgorithm.allCases {
                let message = try Self.sealed(
                    100, with: Self.key(algorithm))
                let key = try Self.key(algorithm)
                #expect(message.open(with: key) == .opened(Self.plain(100)))
            }
        }

        @Test("a check says nothing of the key for the same info")
        func independentCheck() throws {
            let check = try Self.cipher(.aes256GCM).check(for: Self.info)
            #expect(check.count == LibraryCipher.checkByteCount)
            let derivation = Self.storeKey.withUnsafeBytes { KeyDerivation(from: $0) }
            let key = derivation.bytes(for: [UInt8]("key".utf8) + Self.info, byteCount: 32)
            #expect(check != [UInt8](key.prefix(16)))
            #expect(check != [UInt8](key.suffix(16)))
            #expect(try Self.cipher(.aes256GCM).check(for: Self.info + [0]) != check)
        }

        @Test("the bytes of the store's key may be cleared once there is a cipher")
        func clearedKey() throws {
            var storeKey = Self.storeKey
            let cipher = try #require(
                storeKey.withUnsafeMutableBytes { bytes in
                    let cipher = LibraryCipher(
                        key: UnsafeRawBufferPointer(bytes), algorithm: .aes256GCM)
                    bytes.initializeMemory(as: UInt8.self, repeating: 0)
                    return cipher
                })
            #expect(storeKey.allSatisfy { $0 == 0 })
            #expect(cipher.check(for: Self.info) == bytes("c6403dce85422d7e03d6b5078bed0891"))
        }

        // MARK: Lengths and places

        @Test("every length comes back, with and without a header")
        func lengths() throws {
            for algorithm in CipherAlgorithm.allCases {
                let key = try Self.key(algorithm)
                for count in Array(0..<300) + [1023, 1024, 4096, 65_537, 1 << 20] {
                    for header in [[], Self.header] {
                        let message = try Self.sealed(count, with: key, header: header)
                        let isSame = message.open(with: key) == .opened(Self.plain(count))
                        #expect(isSame, "\(count) bytes")
                        #expect(count < 8 || message.ciphertext != Self.plain(count))
                    }
                }
            }
        }

        @Test("a message is sealed and opened where it is", arguments: CipherAlgorithm.allCases)
        func inPlace(algorithm: CipherAlgorithm) throws {
            let key = try Self.key(algorithm)
            let expected = try Self.sealed(1000, with: key)
            var message = Self.plain(1000) + [UInt8](repeating: 0, count: 16)
            let isAuthentic = message.withUnsafeMutableBytes { bytes in
                Self.header.withUnsafeBytes { header in
                    guard let start = bytes.baseAddress else { return false }
                    let contents = UnsafeRawBufferPointer(start: start, count: 1000)
                    key.seal(
                        contents, nonce: Self.nonce, authenticating: header, into: start,
                        tag: start + 1000)
                    #expect([UInt8](contents) == expected.ciphertext)
                    #expect([UInt8](bytes.suffix(16)) == expected.tag)
                    return key.open(
                        contents, tag: start + 1000, nonce: Self.nonce, authenticating: header,
                        into: start)
                }
            }
            #expect(isAuthentic)
            #expect([UInt8](message.prefix(1000)) == Self.plain(1000))
        }

        @Test("no address is needed for no bytes", arguments: CipherAlgorithm.allCases)
        func nothing(algorithm: CipherAlgorithm) throws {
            let key = try Self.key(algorithm)
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { tag in
                guard let tag = tag.baseAddress else { return }
                key.seal(none, nonce: Self.nonce, authenticating: none, into: tag, tag: tag)
                #expect(
                    key.open(none, tag: tag, nonce: Self.nonce, authenticating: none, into: tag))
            }
        }

        @Test("one key serves many threads", arguments: CipherAlgorithm.allCases)
        func threads(algorithm: CipherAlgorithm) async throws {
            let key = try Self.key(algorithm)
            let failures = await withTaskGroup(of: Int.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        (0..<200).count { step in
                            let nonce = SealNonce(position: UInt32(task), number: UInt64(step))
                            let message = SealedMessage(
                                sealing: Self.plain(step), key: key, nonce: nonce, header: [7])
                            return message?.open(with: key) != .opened(Self.plain(step))
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(failures == 0)
        }
    }
#endif
