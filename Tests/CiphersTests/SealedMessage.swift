#if Encryption || canImport(CryptoKit)
    import SegmentLog

    /// One message in all its parts, as tests change and compare them.
    struct SealedMessage {
        static let tagByteCount = 16

        var nonce: SealNonce
        var header: [UInt8]
        var ciphertext: [UInt8]
        var tag: [UInt8]

        init(nonce: SealNonce, header: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
            self.nonce = nonce
            self.header = header
            self.ciphertext = ciphertext
            self.tag = tag
        }

        /// Seals `plain`. Guard bytes stand after the places of the ciphertext and of the tag; nil
        /// if they changed.
        init?(sealing plain: [UInt8], key: any SealingKey, nonce: SealNonce, header: [UInt8]) {
            var ciphertext = guarded(plain.count)
            var tag = guarded(Self.tagByteCount)
            plain.withUnsafeBytes { plain in
                header.withUnsafeBytes { header in
                    ciphertext.withUnsafeMutableBytes { ciphertext in
                        tag.withUnsafeMutableBytes { tag in
                            guard let target = ciphertext.baseAddress,
                                let tag = tag.baseAddress
                            else { return }
                            key.seal(
                                plain, nonce: nonce, authenticating: header, into: target, tag: tag)
                        }
                    }
                }
            }
            guard hasGuard(ciphertext, after: plain.count), hasGuard(tag, after: Self.tagByteCount)
            else { return nil }
            self.init(
                nonce: nonce, header: header, ciphertext: [UInt8](ciphertext.prefix(plain.count)),
                tag: [UInt8](tag.prefix(Self.tagByteCount)))
        }

        /// What opening it gives.
        enum Outcome: Equatable {
            case opened([UInt8])
            /// Refused, and nothing was written.
            case refused
            /// Something was written where nothing belongs.
            case spilled
        }

        func open(with key: any SealingKey) -> Outcome {
            var target = guarded(ciphertext.count)
            let isAuthentic = ciphertext.withUnsafeBytes { ciphertext in
                header.withUnsafeBytes { header in
                    tag.withUnsafeBytes { tag in
                        target.withUnsafeMutableBytes { target in
                            guard let tag = tag.baseAddress, let target = target.baseAddress
                            else { return false }
                            return key.open(
                                ciphertext, tag: tag, nonce: nonce, authenticating: header,
                                into: target)
                        }
                    }
                }
            }
            guard isAuthentic else {
                return target == guarded(ciphertext.count) ? .refused : .spilled
            }
            guard hasGuard(target, after: ciphertext.count) else { return .spilled }
            return .opened([UInt8](target.prefix(ciphertext.count)))
        }
    }

    private let guardByte: UInt8 = 0xa5
    private let guardByteCount = 16

    /// As many bytes, and some after them, with a value that shows whether they were written.
    private func guarded(_ count: Int) -> [UInt8] {
        [UInt8](repeating: guardByte, count: count + guardByteCount)
    }

    private func hasGuard(_ bytes: [UInt8], after count: Int) -> Bool {
        bytes.count == count + guardByteCount
            && bytes[count...].allSatisfy { $0 == guardByte }
    }
#endif
