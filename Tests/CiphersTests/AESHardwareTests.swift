import Ciphers
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Instructions for AES")
struct AESHardwareTests {
    #if os(Linux)
        /// The names of the processor's features, as the system lists them.
        private static func listedFeatures() throws -> Set<Substring> {
            let file = try #require(fopen("/proc/cpuinfo", "r"))
            defer { fclose(file) }
            var text: [UInt8] = []
            var byte = getc(file)
            while byte != EOF {
                text.append(UInt8(truncatingIfNeeded: byte))
                byte = getc(file)
            }
            let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first {
                $0.lowercased().hasPrefix("flags") || $0.hasPrefix("Features")
            }
            return Set(try #require(line).split(separator: " "))
        }

        @Test("they are found where the system lists them")
        func listed() throws {
            let features = try Self.listedFeatures()
            let product: Substring = features.contains("pclmulqdq") ? "pclmulqdq" : "pmull"
            #expect(hasHardwareAES == (features.contains("aes") && features.contains(product)))
        }
    #else
        @Test("every processor of the system has them")
        func present() { #expect(hasHardwareAES) }
    #endif

    @Test("they decide on the algorithm")
    func preference() {
        #expect(
            CipherAlgorithm.preferred == (hasHardwareAES ? .aes256GCM : .chaCha20Poly1305))
    }
}
